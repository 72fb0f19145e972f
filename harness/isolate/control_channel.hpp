#pragma once

// Packets with descriptors over unix sockets (SOCK_SEQPACKET): between relapse, the keeper and the spawners.
// Knows nothing of what the packets say (control_messages.hpp does).

#include <harness/isolate/unique_fd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace relapse {

struct Packet {
  std::string text;
  std::vector<UniqueFd> fds;
};

/// Two connected ends, both closed on exec. False with errno set when the system has no more descriptors.
bool make_channel(UniqueFd& one, UniqueFd& other);

enum class Sent { yes, later, closed, too_long };

/// Never blocks and raises no signal. `later`: the other end has not read enough yet.
Sent send_packet(int channel, std::string_view text, const std::vector<int>& fds = {});

enum class Arrival { packet, none, closed };

/// Never blocks. Received descriptors are closed on exec.
Arrival receive_packet(int channel, Packet& packet);

}  // namespace relapse
