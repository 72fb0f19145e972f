#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <harness/isolate/child_setup.hpp>
#include <harness/isolate/server_process.hpp>
#include <harness/isolate/server_socket.hpp>
#include <harness/isolate/spawner_link.hpp>

namespace relapse {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLockFd = 3;
constexpr int kStatusFd = 4;

void detach(int lock, int status) {
  ::setsid();
  ::prctl(PR_SET_NAME, "relapse-server");
  reset_signals();
  for (int number : {SIGINT, SIGHUP, SIGPIPE}) ::signal(number, SIG_IGN);
  for (int fd : {0, 1, 2}) ::close(fd);
  fill_standard_fds();
  // Above both places first, so that neither move overwrites the other's source.
  int high_lock = ::fcntl(lock, F_DUPFD_CLOEXEC, 10), high_status = ::fcntl(status, F_DUPFD_CLOEXEC, 10);
  move_fd(high_lock, kLockFd);
  move_fd(high_status, kStatusFd);
  ::fcntl(kLockFd, F_SETFD, FD_CLOEXEC);
  ::fcntl(kStatusFd, F_SETFD, FD_CLOEXEC);
  close_from(kStatusFd + 1);
  // No file system is kept busy; attempts run in the folder of their client.
  if (::chdir("/") != 0) return;
}

void say(int status, const std::string& text) {
  if (::write(status, text.data(), text.size()) < 0) return;  // the starter is gone; nobody needs to know
}

class Server {
 public:
  Server(UniqueFd listener, std::unique_ptr<SpawnerLink> zygote, std::chrono::seconds idle_limit)
      : listener_(std::move(listener)), zygote_(std::move(zygote)), idle_limit_(idle_limit) {}

  void run() {
    Clock::time_point idle_since = Clock::now();
    while (clients_ > 0 || Clock::now() - idle_since < idle_limit_) {
      auto left = std::chrono::ceil<std::chrono::milliseconds>(idle_since + idle_limit_ - Clock::now());
      std::vector<pollfd> fds{{listener_.get(), POLLIN, 0}, {zygote_->control.get(), POLLIN, 0}};
      if (zygote_->errors) fds.push_back({zygote_->errors.get(), POLLIN, 0});
      if (::poll(fds.data(), fds.size(), clients_ > 0 ? -1 : int(left.count())) < 0 && errno != EINTR) return;
      zygote_->listen();
      if (fds[0].revents & POLLIN) {
        accept_clients();
        idle_since = Clock::now();
      }
      int before = clients_;
      if (fds[1].revents && !hear_zygote()) return;
      if (clients_ != before) idle_since = Clock::now();
    }
  }

 private:
  void accept_clients() {
    for (;;) {
      UniqueFd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!client) return;
      zygote_->send(AdoptOrder{}, {client.get()});
    }
  }

  /// False: it is gone, or a client asked for the end.
  bool hear_zygote() {
    for (;;) {
      Packet packet;
      Arrival arrival = receive_packet(zygote_->control.get(), packet);
      if (arrival == Arrival::none) return true;
      Report report;
      std::string why;
      if (arrival == Arrival::closed || !from_packet(packet.text, report, why)) return false;
      if (auto* clients = std::get_if<ClientsReport>(&report)) clients_ = clients->count;
      if (std::get_if<StopReport>(&report)) return false;
    }
  }

  UniqueFd listener_;
  std::unique_ptr<SpawnerLink> zygote_;
  std::chrono::seconds idle_limit_;
  int clients_ = 0;
};

}  // namespace

int run_server(const ServerOptions& options, int lock, int status) {
  detach(lock, status);
  auto keeper = Keeper::start();
  if (!keeper) {
    say(kStatusFd, keeper.error().message);
    return 1;
  }
  auto zygote = make_link(*keeper, SpawnOrder{1, false, options.worker, {}, {}}, nullptr);
  if (!zygote) {
    say(kStatusFd, zygote.error().message);
    return 1;
  }
  auto listener = listen_at(options.socket);
  if (!listener) {
    say(kStatusFd, listener.error().message);
    return 1;
  }
  say(kStatusFd, "ready");
  ::close(kStatusFd);
  Server(std::move(*listener), std::move(*zygote), options.idle_limit).run();
  ::unlink(options.socket.c_str());
  return 0;  // the keeper ends what is left
}

}  // namespace relapse
