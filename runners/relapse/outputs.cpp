#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <harness/report/github.hpp>
#include <harness/report/html.hpp>
#include <harness/report/json_report.hpp>
#include <harness/report/junit.hpp>
#include <harness/report/sarif.hpp>
#include <harness/support/file.hpp>
#include <runners/relapse/outputs.hpp>

namespace relapse {
namespace {

/// A report of its own file: its option, what the option says of it, and who makes it.
struct Report {
  const char *option, *what;
  std::string (*make)(const RunRecord& run);
};
constexpr std::array kReports{
    Report{"--junit", "JUnit XML", junit_report},
    Report{"--json", "the JSON report", json_report},
    Report{"--sarif", "SARIF 2.1.0 for code scanning", sarif_report},
    Report{"--html", "one self-contained page", html_report},
};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

Error summary_trouble(const std::string& path, int error) {
  return {ErrorKind::infrastructure,
          fmt::format("cannot append the job summary to {} (GITHUB_STEP_SUMMARY): {}", path,
                      std::strerror(error))};
}

/// A step's summary is a file that several commands may append to; together they must stay below the limit.
Result<void> append_summary(const std::string& path, const RunRecord& run) {
  const int fd = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) return tl::make_unexpected(summary_trouble(path, errno));
  struct stat status {};
  const std::size_t there =
      fstat(fd, &status) == 0 && status.st_size > 0 ? static_cast<std::size_t>(status.st_size) : 0;
  const std::string text = github_summary(run, kSummaryBytes > there ? kSummaryBytes - there : 0);
  if (text.empty()) {
    std::fprintf(stderr, "relapse: the job summary already holds %zu bytes: nothing was added to it\n",
                 there);
  }
  int error = 0;
  for (std::size_t done = 0; done < text.size() && error == 0;) {
    const ssize_t put = write(fd, text.data() + done, text.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) error = errno;
    done += put > 0 ? static_cast<std::size_t>(put) : 0;
  }
  close(fd);
  if (error != 0) return tl::make_unexpected(summary_trouble(path, error));
  return {};
}

Result<void> tell_github(const RunRecord& run) {
  std::error_code error;
  const PathContext paths{std::filesystem::current_path(error).string(), variable("GITHUB_WORKSPACE")};
  const std::string annotations = github_annotations(run, paths);
  std::fwrite(annotations.data(), 1, annotations.size(), stdout);
  const std::string summary = variable("GITHUB_STEP_SUMMARY");
  return summary.empty() ? Result<void>{} : append_summary(summary, run);
}

}  // namespace

Result<void> write_report(const std::string& path, const std::string& text) {
  if (path.empty()) return {};
  if (path == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return {};
  }
  return write_file_atomically(path, text);
}

bool is_empty(const Outputs& outputs) {
  return !outputs.github && std::all_of(outputs.files.begin(), outputs.files.end(),
                                        [](const std::string& file) { return file.empty(); });
}

std::string place_of(const Outputs& outputs, const std::string& option) {
  for (std::size_t i = 0; i < kReports.size(); ++i) {
    if (option == kReports[i].option) return outputs.files[i];
  }
  return {};
}

void add_output_options(CLI::App& app, Outputs& outputs) {
  outputs.files.resize(kReports.size());
  for (std::size_t i = 0; i < kReports.size(); ++i) {
    app.add_option(kReports[i].option, outputs.files[i],
                   fmt::format("write {} to this file (- is standard output)", kReports[i].what))
        ->type_name("FILE");
  }
  app.add_flag("--github", outputs.github,
               "print annotations for GitHub Actions and append a summary to GITHUB_STEP_SUMMARY");
}

Result<void> check_outputs(const Outputs& outputs) {
  for (std::size_t i = 0; i < kReports.size(); ++i) {
    const std::string& file = outputs.files[i];
    if (file.empty()) continue;
    if (file == "-" && outputs.github) {
      return fail(ErrorKind::usage,
                  fmt::format("{} - and --github both write to standard output: name a file for {}",
                              kReports[i].option, kReports[i].option));
    }
    for (std::size_t j = i + 1; j < kReports.size(); ++j) {
      if (file == outputs.files[j]) {
        return fail(ErrorKind::usage, fmt::format("{} and {} name the same file: one report would be lost",
                                                  kReports[i].option, kReports[j].option));
      }
    }
  }
  return {};
}

bool to_standard_output(const Outputs& outputs) {
  for (const std::string& file : outputs.files) {
    if (file == "-") return true;
  }
  return false;
}

Result<void> write_outputs(const Outputs& outputs, const RunRecord& run) {
  Result<void> first;
  const auto keep = [&](Result<void> done) {
    if (first && !done) first = std::move(done);
  };
  for (std::size_t i = 0; i < kReports.size(); ++i) {
    if (!outputs.files[i].empty()) keep(write_report(outputs.files[i], kReports[i].make(run)));
  }
  if (outputs.github) keep(tell_github(run));
  return first;
}

CommandShield::CommandShield(bool on) {
  if (!on) return;
  unsigned char bytes[16] = {};
  if (getrandom(bytes, sizeof(bytes), 0) != static_cast<ssize_t>(sizeof(bytes))) return;
  for (const unsigned char byte : bytes) token_ += fmt::format("{:02x}", byte);
  std::printf("::stop-commands::%s\n", token_.c_str());
}

void CommandShield::lift() {
  if (token_.empty()) return;
  std::printf("::%s::\n", token_.c_str());
  token_.clear();
}

}  // namespace relapse
