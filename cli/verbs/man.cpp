// tessera man: manual pages in roff, from the options that the verbs declare.
#include <fmt/format.h>

#include <tessera/core/config.h>

#include "application/program_text.h"
#include "application/verb.h"

namespace tessera::cli {
namespace {

struct ManOptions {
  std::string verb;
};

/// Text as roff prints it: no escapes, no requests, and minus signs that can be copied.
std::string roff(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool begins_line = result.empty() || result.back() == '\n';
    if (begins_line && (c == '.' || c == '\'')) result += "\\&";
    result += c == '\\' ? "\\e" : c == '-' ? "\\-" : c == '\'' ? "\\(aq" : std::string(1, c);
  }
  return result;
}

std::string option_entries(const std::vector<OptionText>& options) {
  std::string text;
  for (const OptionText& option : options) {
    std::vector<std::string> names;
    for (const std::string& name : option.names) names.push_back("\\fB" + roff(name) + "\\fR");
    const std::string value = option.value.empty() ? "" : "\\fI" + roff(option.value) + "\\fR";
    text += fmt::format(".TP\n{}{}{}\n{}\n", fmt::join(names, ", "), names.empty() ? "" : " ", value,
                        roff(option.help));
  }
  return text;
}

std::string heading(const std::string& page, const std::string& summary) {
  return fmt::format(".TH \"{}\" 1 \"\" \"tessera {}\" \"Tessera\"\n.SH NAME\n{} \\- {}\n", roff(page),
                     version, roff(page), roff(summary));
}

std::string example(const std::string& lines) {
  return fmt::format(".SH EXAMPLES\n.nf\n{}\n.fi\n", roff(lines));
}

std::string program_page(const ProgramText& program) {
  std::string text = heading("tessera", "connectivity of unstructured meshes, and what it makes possible");
  text +=
      ".SH SYNOPSIS\n\\fBtessera\\fR [\\fIoptions\\fR] \\fIverb\\fR [\\fIoptions\\fR] \\fIfile\\fR\n.SH "
      "VERBS\n";
  for (const VerbPage& verb : program.verbs) {
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(verb.name), roff(verb.summary));
  }
  text += ".SH OPTIONS\n" + option_entries(program.options);
  return text + ".SH SEE ALSO\n\\fBtessera\\-\\fIverb\\fR(1)\n";
}

std::string verb_page(const VerbPage& verb) {
  return heading("tessera-" + verb.name, verb.summary) +
         fmt::format(".SH SYNOPSIS\n\\fBtessera {}\\fR [\\fIoptions\\fR]\n.SH OPTIONS\n", roff(verb.name)) +
         option_entries(verb.options) + example(verb.example) + ".SH SEE ALSO\n\\fBtessera\\fR(1)\n";
}

void declare_man(OptionList& app, ManOptions& options) {
  app.add_option("verb", options.verb, "the verb to explain; the program if left out")->type_name("VERB");
}

std::string make_page(const std::string& name) {
  const ProgramText program = describe_program();
  if (name.empty()) return program_page(program);
  std::vector<std::string> names;
  for (const VerbPage& verb : program.verbs) {
    if (verb.name == name) return verb_page(verb);
    names.push_back(verb.name);
  }
  throw unknown_verb(name, names);
}

int run_man(Session& session, const ManOptions& options) {
  const std::string page = make_page(options.verb);
  session.result() = {{"page", page}};
  session.print_data(page);
  return 0;
}

}  // namespace

Verb man_verb() {
  return define_verb<ManOptions>({"man", Group::shell, "print a manual page of the program or of a verb",
                                  "  tessera man critical-points | man -l -"},
                                 declare_man, run_man);
}

}  // namespace tessera::cli
