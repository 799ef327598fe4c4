#include "data/svg.h"

#include "application/text.h"

namespace tessera::cli {

std::string escape_xml(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return result;
}

}  // namespace tessera::cli
