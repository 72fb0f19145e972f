#include "in_child.hpp"

#include <c10/util/Exception.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <streambuf>

namespace sim_test {

namespace {

/// Unbuffered: what was said before a hang has been said.
class Descriptor final : public std::streambuf {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}

 private:
  int overflow(int byte) override {
    const char one = static_cast<char>(byte);
    return ::write(fd_, &one, 1) == 1 ? byte : traits_type::eof();
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    return ::write(fd_, text, static_cast<std::size_t>(size));
  }
  int fd_;
};

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// The ends of three pipes that a child writes to: what is said, standard output, standard error.
using Ends = std::array<int, 3>;

[[noreturn]] void run(const Variables& variables, const std::function<void(std::ostream&)>& body,
                      const Ends& ends) {
  ::dup2(ends[1], STDOUT_FILENO);
  ::dup2(ends[2], STDERR_FILENO);
  for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  Descriptor buffer(ends[0]);
  std::ostream stream(&buffer);
  try {
    body(stream);
  } catch (const std::exception& error) {
    stream << "threw " << first_line(error.what());
  }
  std::fflush(stdout);
  ::_exit(0);
}

/// Reads the pipes until they end or the time is over. Whether they ended.
bool read_all(std::array<pollfd, 3>& pipes, Child& child, std::chrono::steady_clock::time_point until) {
  const std::array<std::string*, 3> texts = {&child.said, &child.output, &child.errors};
  int open = static_cast<int>(pipes.size());
  while (open > 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    if (::poll(pipes.data(), pipes.size(), static_cast<int>(left.count())) <= 0) continue;
    for (std::size_t i = 0; i < pipes.size(); ++i) {
      if (pipes[i].fd < 0 || pipes[i].revents == 0) continue;
      std::array<char, 4096> bytes;
      const ssize_t count = ::read(pipes[i].fd, bytes.data(), bytes.size());
      if (count > 0) {
        texts[i]->append(bytes.data(), static_cast<std::size_t>(count));
      } else {
        ::close(pipes[i].fd);
        pipes[i].fd = -1;
        --open;
      }
    }
  }
  return true;
}

}  // namespace

Child in_child(const Variables& variables, const std::function<void(std::ostream&)>& body,
               std::chrono::milliseconds limit) {
  Ends written;
  std::array<pollfd, 3> pipes = {};
  for (std::size_t i = 0; i < pipes.size(); ++i) {
    std::array<int, 2> pipe;
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) std::abort();
    pipes[i] = {pipe[0], POLLIN, 0};
    written[i] = pipe[1];
  }
  // What is buffered would be written by both.
  std::fflush(nullptr);
  const pid_t pid = ::fork();
  if (pid < 0) std::abort();
  if (pid == 0) run(variables, body, written);
  for (const int end : written) ::close(end);

  Child child;
  child.hung = !read_all(pipes, child, std::chrono::steady_clock::now() + limit);
  if (child.hung) ::kill(pid, SIGKILL);
  for (const pollfd& pipe : pipes) {
    if (pipe.fd >= 0) ::close(pipe.fd);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (WIFSIGNALED(status)) child.signal = WTERMSIG(status);
  if (WIFEXITED(status)) child.status = WEXITSTATUS(status);
  return child;
}

std::string outcome(const std::function<void()>& action) {
  try {
    action();
    return "ok";
  } catch (const c10::AcceleratorError& error) {
    return std::to_string(error.get_error_code());
  } catch (const c10::OutOfMemoryError&) {
    return "out_of_memory";
  } catch (const c10::IndexError& error) {
    return "IndexError: " + first_line(error.what_without_backtrace());
  } catch (const c10::Error& error) {
    return "Error: " + first_line(error.what_without_backtrace());
  } catch (const std::exception& error) {
    return "exception: " + first_line(error.what());
  }
}

}  // namespace sim_test
