#include <tessera/io/detail/xml.h>

#include <algorithm>
#include <array>
#include <cstring>

#include <tessera/io/detail/text.h>

namespace tessera::detail::io {
namespace {

constexpr std::size_t longest_tag = 1 << 20;
constexpr std::size_t most_elements = 1 << 18;
constexpr std::size_t deepest = 32;

constexpr std::string_view spaces = " \t\r\n";

/// "a &lt; b" -> "a < b". Unknown references stay as they are.
std::string decode_entities(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 5> named = {
      {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}}};
  std::string result;
  while (!text.empty()) {
    const auto* const match =
        std::find_if(named.begin(), named.end(), [&](const auto& n) { return text.starts_with(n.first); });
    result += match == named.end() ? text.front() : match->second;
    text.remove_prefix(match == named.end() ? 1 : match->first.size());
  }
  return result;
}

/// Builds the tree, tag after tag, without recursion.
class Scanner {
 public:
  Scanner(Input& input, XmlFile& file) : input_(input), file_(file) {}

  void scan() {
    while (!is_done_) {
      find_tag();
      if (input_.at_end())
        input_.fail(open_.empty() ? "holds no XML element" : "ends inside <" + open_.back().name + ">");
      const std::string_view start = input_.peek(9);
      if (start.starts_with("<!--")) {
        skip_past("-->");
      } else if (start.starts_with("<?") || start.starts_with("<!")) {
        skip_past(">");
      } else {
        take_tag();
      }
    }
  }

 private:
  /// Moves to the next '<' and keeps the run of text before it if it is its element's longest.
  void find_tag() {
    const std::uint64_t begin = input_.position();
    for (std::string_view text = input_.peek(); !text.empty(); text = input_.peek()) {
      const std::size_t place = text.find('<');
      input_.consume(std::min(place, text.size()));
      if (place != std::string_view::npos) break;
    }
    if (open_.empty()) return;
    Element& element = open_.back();
    if (input_.position() - begin > element.end - element.begin) {
      element.begin = begin;
      element.end = input_.position();
    }
  }

  void skip_past(std::string_view end) {
    for (;;) {
      const std::string_view text = input_.peek(end.size());
      const std::size_t place = text.find(end);
      if (place != std::string_view::npos) return input_.consume(place + end.size());
      if (text.size() < end.size() || text.size() == input_.remaining())
        input_.fail("ends inside an XML comment");
      input_.consume(text.size() - end.size() + 1);
    }
  }

  /// The length of the tag that starts here, up to its '>' outside of quotes.
  std::size_t tag_length(std::string_view text) {
    char quote = 0;
    for (std::size_t i = 1; i < text.size(); ++i) {
      if (quote != 0) {
        if (text[i] == quote) quote = 0;
      } else if (text[i] == '"' || text[i] == '\'') {
        quote = text[i];
      } else if (text[i] == '>') {
        return i + 1;
      }
    }
    return 0;
  }

  void take_tag() {
    std::string_view text = input_.peek();
    std::size_t length = tag_length(text);
    if (length == 0) {
      text = input_.peek(longest_tag);
      length = tag_length(text);
    }
    if (length == 0)
      input_.fail("holds an XML tag without an end (byte " + std::to_string(input_.position()) + ")");
    const std::string tag(text.substr(1, length - 2));
    input_.consume(length);
    if (tag.starts_with('/')) return close(std::string_view(tag).substr(1));
    const bool is_closed = tag.ends_with('/');
    open(std::string_view(tag).substr(0, tag.size() - (is_closed ? 1 : 0)));
    if (is_closed) close(open_.back().name);
  }

  void open(std::string_view tag) {
    if (++count_ > most_elements || open_.size() >= deepest) input_.fail("holds too many XML elements");
    Element element;
    const std::size_t name_end = std::min(tag.find_first_of(spaces), tag.size());
    element.name = tag.substr(0, name_end);
    element.begin = element.end = input_.position();
    read_attributes(tag.substr(name_end), element);
    open_.push_back(std::move(element));
    if (open_.back().name == "AppendedData") start_appended();
  }

  void read_attributes(std::string_view text, Element& element) {
    for (;;) {
      const std::size_t begin = text.find_first_not_of(spaces);
      if (begin == std::string_view::npos) return;
      const std::size_t equals = text.find('=', begin);
      const std::size_t open_quote =
          equals == std::string_view::npos ? equals : text.find_first_of("\"'", equals);
      const std::size_t close_quote =
          open_quote == std::string_view::npos ? open_quote : text.find(text[open_quote], open_quote + 1);
      if (close_quote == std::string_view::npos) input_.fail("holds a broken tag <" + element.name + ">");
      std::string_view name = text.substr(begin, equals - begin);
      name = name.substr(0, name.find_last_not_of(spaces) + 1);
      element.attributes.emplace_back(
          name, decode_entities(text.substr(open_quote + 1, close_quote - open_quote - 1)));
      text.remove_prefix(close_quote + 1);
    }
  }

  void close(std::string_view name) {
    name = name.substr(0, name.find_last_not_of(spaces) + 1);
    if (open_.empty() || open_.back().name != name) {
      input_.fail("closes <" + std::string(name.substr(0, 40)) + "> where " +
                  (open_.empty() ? "nothing" : "<" + open_.back().name + ">") + " is open");
    }
    Element element = std::move(open_.back());
    open_.pop_back();
    if (!open_.empty()) {
      open_.back().children.push_back(std::move(element));
    } else {
      file_.root = std::move(element);
      is_done_ = true;
    }
  }

  /// What follows the '_' is not XML any more, so the tree is closed here.
  void start_appended() {
    file_.is_appended_base64 = open_.back().attribute("encoding", "base64") == "base64";
    char mark = ' ';
    while (spaces.find(mark) != std::string_view::npos) input_.read(&mark, 1);
    if (mark != '_') input_.fail("has appended data that do not begin with '_'");
    file_.appended = input_.position();
    while (!open_.empty()) close(std::string(open_.back().name));
  }

  Input& input_;
  XmlFile& file_;
  std::vector<Element> open_;
  std::size_t count_ = 0;
  bool is_done_ = false;
};

}  // namespace

const std::string* Element::find_attribute(std::string_view wanted) const {
  for (const auto& [key, value] : attributes) {
    if (key == wanted) return &value;
  }
  return nullptr;
}

std::string_view Element::attribute(std::string_view wanted, std::string_view otherwise) const {
  const std::string* value = find_attribute(wanted);
  return value != nullptr ? *value : otherwise;
}

const Element* Element::find(std::string_view wanted) const {
  for (const Element& child : children) {
    if (child.name == wanted) return &child;
  }
  return nullptr;
}

XmlFile scan_xml(Input& input) {
  XmlFile file;
  Scanner(input, file).scan();
  const Element& root = file.root;
  if (root.name != "VTKFile") input.fail("is not a VTK file: its root is <" + root.name + ">");
  const std::string order(root.attribute("byte_order", "LittleEndian"));
  if (order != "LittleEndian" && order != "BigEndian")
    input.fail("has an unknown byte order \"" + order + "\"");
  file.is_big_endian = order == "BigEndian";
  const std::string header(root.attribute("header_type", "UInt32"));
  if (header != "UInt32" && header != "UInt64") input.fail("has an unknown header type \"" + header + "\"");
  file.header_bytes = header == "UInt64" ? 8 : 4;
  file.compressor = root.attribute("compressor");
  return file;
}

std::uint64_t count_attribute(const Input& input, const Element& element, std::string_view name,
                              std::optional<std::uint64_t> otherwise) {
  const std::string* text = element.find_attribute(name);
  if (text == nullptr && otherwise) return *otherwise;
  std::uint64_t value = 0;
  if (text == nullptr || !parse_number(Words(*text).next(), value)) {
    input.fail("<" + element.name + "> needs " + std::string(name) +
               (text == nullptr ? "" : ", not \"" + *text + "\""));
  }
  return value;
}

}  // namespace tessera::detail::io
