#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <harness/isolate/control_channel.hpp>

namespace relapse {

namespace {

constexpr std::size_t kMostFds = 4;

// Requests with hundreds of check names are one packet each; the system grants up to its own limit.
constexpr int kSendBuffer = 4 << 20;

}  // namespace

bool make_channel(UniqueFd& one, UniqueFd& other) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return false;
  for (int end : ends) ::setsockopt(end, SOL_SOCKET, SO_SNDBUF, &kSendBuffer, sizeof kSendBuffer);
  one.reset(ends[0]);
  other.reset(ends[1]);
  return true;
}

Sent send_packet(int channel, std::string_view text, const std::vector<int>& fds) {
  iovec part{const_cast<char*>(text.data()), text.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMostFds)] = {};
  if (!fds.empty()) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
    std::memcpy(CMSG_DATA(header), fds.data(), sizeof(int) * fds.size());
  }
  while (::sendmsg(channel, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == ENOBUFS) return Sent::later;
    return errno == EMSGSIZE ? Sent::too_long : Sent::closed;
  }
  return Sent::yes;
}

Arrival receive_packet(int channel, Packet& packet) {
  packet.fds.clear();
  // The length first, so that a long request needs no buffer that is always long.
  ssize_t length = 0;
  do {
    length = ::recv(channel, nullptr, 0, MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT);
  } while (length < 0 && errno == EINTR);
  if (length < 0) return errno == EAGAIN ? Arrival::none : Arrival::closed;
  packet.text.resize(std::size_t(length));
  iovec part{packet.text.data(), packet.text.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMostFds)];
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  do {
    length = ::recvmsg(channel, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  } while (length < 0 && errno == EINTR);
  if (length <= 0) return Arrival::closed;  // nobody sends empty packets
  packet.text.resize(std::size_t(length));
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof fd);
      packet.fds.emplace_back(fd);
    }
  }
  return Arrival::packet;
}

}  // namespace relapse
