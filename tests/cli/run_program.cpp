#include "cli/run_program.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

fs::path make_folder(const char* purpose) {
  std::string pattern =
      (fs::temp_directory_path() / (std::string("tessera-") + purpose + "-XXXXXX")).string();
  EXPECT_NE(mkdtemp(pattern.data()), nullptr);
  return pattern;
}

void redirect(const fs::path& file, int descriptor) {
  const int opened = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  dup2(opened, descriptor);
}

void apply(const std::string& entry) {
  const std::size_t equals = entry.find('=');
  if (equals == std::string::npos) {
    unsetenv(entry.c_str());
  } else {
    setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 1);
  }
}

}  // namespace

ProgramTest::ProgramTest() : folder_(make_folder("cli")), log_folder_(make_folder("log")) {}

ProgramTest::~ProgramTest() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  fs::remove_all(log_folder_, ignored);
}

pid_t ProgramTest::spawn(const Arguments& arguments, const Arguments& environment) const {
  std::vector<char*> argv = {const_cast<char*>(TESSERA_PROGRAM)};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  for (const std::string& entry : environment) apply(entry);
  redirect(log_folder_ / "out", STDOUT_FILENO);
  redirect(log_folder_ / "err", STDERR_FILENO);
  if (chdir(folder_.c_str()) != 0) _exit(126);
  execv(argv[0], argv.data());
  _exit(127);
}

pid_t ProgramTest::start(const Arguments& arguments) const {
  return spawn(arguments, {});
}

int ProgramTest::wait_for(pid_t child, std::uint64_t* peak) {
  int status = 0;
  rusage usage{};
  EXPECT_EQ(wait4(child, &status, 0, &usage), child);
  if (peak != nullptr) *peak = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

Outcome ProgramTest::run(const Arguments& arguments, const Arguments& environment) const {
  std::uint64_t peak = 0;
  const int code = wait_for(spawn(arguments, environment), &peak);
  return {code, content_of(log_folder_ / "out"), content_of(log_folder_ / "err"), peak};
}

nlohmann::json ProgramTest::run_json(Arguments arguments, int expected_code) const {
  arguments.insert(arguments.end(), {"--json", "-"});
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.code, expected_code) << outcome.err;
  const auto object = nlohmann::json::parse(outcome.out, nullptr, false);
  EXPECT_TRUE(object.is_object()) << outcome.out;
  return object.is_object() ? object : nlohmann::json::object();
}

std::vector<std::string> ProgramTest::files() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

void ProgramTest::write(const std::string& name, const std::string& content) const {
  std::ofstream(folder_ / name, std::ios::binary) << content;
}

std::string ProgramTest::read(const std::string& name) const {
  return content_of(folder_ / name);
}

void expect_one_sentence(const Outcome& outcome, int code, const std::vector<std::string>& parts) {
  EXPECT_EQ(outcome.code, code);
  EXPECT_EQ(outcome.out, "");
  // The line that says that a GPU does the work may come before.
  const bool is_chosen = outcome.err.starts_with("tessera: running on ") &&
                         outcome.err.substr(0, outcome.err.find('\n')).ends_with("(cuda:0)");
  const std::string sentence = outcome.err.substr(is_chosen ? outcome.err.find('\n') + 1 : 0);
  EXPECT_TRUE(sentence.starts_with("tessera: ")) << outcome.err;
  EXPECT_EQ(std::ranges::count(sentence, '\n'), 1) << outcome.err;
  for (const std::string& part : parts)
    EXPECT_NE(sentence.find(part), std::string::npos) << part << " in " << outcome.err;
}

}  // namespace tessera::test
