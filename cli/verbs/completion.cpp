// tessera completion: scripts that let a shell complete verbs, options and choices.
#include <fmt/format.h>

#include <algorithm>

#include "application/program_text.h"
#include "application/verb.h"

namespace tessera::cli {
namespace {

struct CompletionOptions {
  std::string shell;
};

using Words = std::vector<std::string>;

/// In single quotes, as all three shells read them.
std::string quoted(const std::string& text, std::string_view quote_inside) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string(quote_inside) : std::string(1, c);
  return result + "'";
}

Words verb_names(const ProgramText& program) {
  Words names;
  for (const VerbPage& verb : program.verbs) names.push_back(verb.name);
  return names;
}

Words option_names(const std::vector<OptionText>& options) {
  Words names;
  for (const OptionText& option : options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

/// A line for each verb and each option with choices, in a `case` over "VERB" and "VERB --option".
template <class Line>
std::string choice_cases(const ProgramText& program, const Line& line) {
  std::string text;
  const auto add = [&](const std::string& verb, const std::vector<OptionText>& options) {
    for (const OptionText& option : options) {
      for (const std::string& name : option.names) {
        if (!option.choices.empty()) text += line(fmt::format("{} {}", verb, name), option.choices);
      }
      // What has a place has its choices after the verb itself.
      if (option.names.empty() && !option.choices.empty())
        text += line(fmt::format("{} {}", verb, verb), option.choices);
    }
  };
  add("", program.options);
  for (const VerbPage& verb : program.verbs) add(verb.name, verb.options);
  return text;
}

template <class Line>
std::string option_cases(const ProgramText& program, const Line& line) {
  std::string text = line("", option_names(program.options));
  for (const VerbPage& verb : program.verbs) text += line(verb.name, option_names(verb.options));
  return text;
}

std::string make_bash(const ProgramText& program) {
  const auto line = [](const std::string& key, const Words& words) {
    return fmt::format("    '{}') words='{}' ;;\n", key, fmt::join(words, " "));
  };
  const Words verbs = verb_names(program);
  return fmt::format(
      R"(# bash completion for tessera
_tessera() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} verb= words= word
  if [[ $current == = ]]; then current=; fi
  if [[ $previous == = ]]; then previous=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case $word in {}) verb=$word; break ;; esac
  done
  case "$verb $previous" in
{}  esac
  if [[ -z $words && $current == -* ]]; then
    case $verb in
{}    esac
  elif [[ -z $words && -z $verb ]]; then
    words='{}'
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _tessera tessera
)",
      fmt::join(verbs, "|"), choice_cases(program, line), option_cases(program, line), fmt::join(verbs, " "));
}

std::string make_zsh(const ProgramText& program) {
  const auto line = [](const std::string& key, const Words& words) {
    return fmt::format("    ('{}') list=({}) ;;\n", key, fmt::join(words, " "));
  };
  std::string verbs;
  for (const VerbPage& verb : program.verbs) {
    verbs += fmt::format("      {}\n", quoted(verb.name + ":" + verb.summary, R"('\'')"));
  }
  return fmt::format(
      R"(#compdef tessera
_tessera() {{
  local previous=${{words[CURRENT-1]}} verb= word
  local -a list
  for word in ${{words[2,CURRENT-1]}}; do
    case $word in ({}) verb=$word; break ;; esac
  done
  case "$verb $previous" in
{}  esac
  if (( ! $#list )) && [[ $PREFIX == -* ]]; then
    case $verb in
{}    esac
  elif (( ! $#list )) && [[ -z $verb ]]; then
    list=(
{}    )
    _describe verb list
    return
  fi
  if (( $#list )); then compadd -a list; else _files; fi
}}
_tessera "$@"
)",
      fmt::join(verb_names(program), "|"), choice_cases(program, line), option_cases(program, line), verbs);
}

std::string make_fish(const ProgramText& program) {
  // Not __fish_use_subcommand: that takes the 2 of `--threads 2` for a verb.
  std::string text = fmt::format(
      "# fish completion for tessera\nfunction __tessera_needs_verb\n"
      "  not __fish_seen_subcommand_from {}\nend\n",
      fmt::join(verb_names(program), " "));
  const auto quote = [](const std::string& words) { return quoted(words, R"(\')"); };
  const auto add = [&](const std::string& condition, const OptionText& option) {
    if (option.names.empty() && option.choices.empty()) return;
    text += fmt::format("complete -c tessera -n {}", quote(condition));
    for (const std::string& name : option.names) {
      text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    if (!option.names.empty() && !option.value.empty()) text += option.choices.empty() ? " -r" : " -x";
    if (!option.choices.empty()) text += fmt::format(" -a '{}'", fmt::join(option.choices, " "));
    text += fmt::format(" -d {}\n", quote(option.help));
  };
  for (const OptionText& option : program.options) add("__tessera_needs_verb", option);
  for (const VerbPage& verb : program.verbs) {
    text += fmt::format("complete -c tessera -n __tessera_needs_verb -f -a {} -d {}\n", verb.name,
                        quote(verb.summary));
    for (const OptionText& option : verb.options) add("__fish_seen_subcommand_from " + verb.name, option);
  }
  return text;
}

void declare_completion(OptionList& app, CompletionOptions& options) {
  app.add_option("shell", options.shell, "the shell to write the script for")
      ->required()
      ->is_member({"bash", "zsh", "fish"});
}

int run_completion(Session& session, const CompletionOptions& options) {
  const ProgramText program = describe_program();
  const std::string script = options.shell == "bash"  ? make_bash(program)
                             : options.shell == "zsh" ? make_zsh(program)
                                                      : make_fish(program);
  session.result() = {{"shell", options.shell}, {"script", script}};
  session.print_data(script);
  return 0;
}

}  // namespace

Verb completion_verb() {
  return define_verb<CompletionOptions>(
      {"completion", Group::shell, "print a script that lets bash, zsh or fish complete command lines",
       "  tessera completion bash > ~/.local/share/bash-completion/completions/tessera\n"
       "  tessera completion fish > ~/.config/fish/completions/tessera.fish"},
      declare_completion, run_completion);
}

}  // namespace tessera::cli
