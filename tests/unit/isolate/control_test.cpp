#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <harness/isolate/control_channel.hpp>
#include <harness/isolate/control_messages.hpp>

namespace relapse {
namespace {

template <class One, class Any>
One over(const One& sent) {
  Any read;
  std::string why;
  EXPECT_TRUE(from_packet(to_packet(Any(sent)), read, why)) << why;
  return std::get<One>(read);
}

TEST(ControlChannel, CarriesTextAndDescriptors) {
  UniqueFd one, other;
  ASSERT_TRUE(make_channel(one, other));
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  UniqueFd reader(ends[0]), writer(ends[1]);
  EXPECT_EQ(send_packet(one.get(), "first", {writer.get()}), Sent::yes);
  EXPECT_EQ(send_packet(one.get(), "second"), Sent::yes);
  writer.reset();
  Packet packet;
  ASSERT_EQ(receive_packet(other.get(), packet), Arrival::packet);
  EXPECT_EQ(packet.text, "first");
  ASSERT_EQ(packet.fds.size(), 1u);
  EXPECT_TRUE(::fcntl(packet.fds[0].get(), F_GETFD) & FD_CLOEXEC);
  EXPECT_EQ(::write(packet.fds[0].get(), "x", 1), 1);
  ASSERT_EQ(receive_packet(other.get(), packet), Arrival::packet);
  EXPECT_EQ(packet.text, "second");
  EXPECT_TRUE(packet.fds.empty());
  EXPECT_EQ(receive_packet(other.get(), packet), Arrival::none);
  char byte;
  EXPECT_EQ(::read(reader.get(), &byte, 1), 1);
  EXPECT_EQ(::read(reader.get(), &byte, 1), 0) << "the received descriptor was closed with its packet";
}

TEST(ControlChannel, SaysThatTheOtherEndIsGoneOrFull) {
  UniqueFd one, other;
  ASSERT_TRUE(make_channel(one, other));
  std::string big(100'000, 'x');
  Sent sent = Sent::yes;
  for (int i = 0; i < 1000 && sent == Sent::yes; ++i) sent = send_packet(one.get(), big);
  EXPECT_EQ(sent, Sent::later);
  EXPECT_EQ(send_packet(one.get(), std::string(100 << 20, 'x')), Sent::too_long);
  other.reset();
  EXPECT_EQ(send_packet(one.get(), "x"), Sent::closed);
  Packet packet;
  EXPECT_EQ(receive_packet(one.get(), packet), Arrival::closed);
}

TEST(ControlMessages, ComeBackAsTheyWere) {
  auto start = over<StartOrder, Order>({7, "/a b", "{\"request\": \"probe\"}"});
  EXPECT_EQ(start.attempt, 7u);
  EXPECT_EQ(start.folder, "/a b");
  EXPECT_EQ(start.request_line, "{\"request\": \"probe\"}");
  EXPECT_EQ((over<SignalOrder, Order>({7, 15}).signal), 15);
  auto spawn = over<SpawnOrder, Order>({3, true, "/w", {"/ops.so"}, {{"A", "1"}, {"B", ""}}});
  EXPECT_EQ(spawn.libraries, std::vector<std::string>{"/ops.so"});
  EXPECT_TRUE(spawn.exec_each);
  EXPECT_EQ(spawn.environment.at(1).first, "B");
  EXPECT_EQ((over<RefusedReport, Report>({7, "two threads"}).why), "two threads");
  auto ended = over<EndedReport, Report>({7, 139, 1.5, 0.25, 4096, {{12, "sleep"}}});
  EXPECT_EQ(ended.status, 139);
  EXPECT_EQ(ended.max_rss, 4096u);
  EXPECT_EQ(ended.leaks.at(0).command, "sleep");
  EXPECT_EQ((over<SpawnerEndedReport, Report>({3, 9}).status), 9);
  EXPECT_EQ((over<ClientsReport, Report>({2}).count), 2);
}

TEST(ControlMessages, OfALeakWithAnyNameArrive) {
  EXPECT_EQ((over<EndedReport, Report>({1, 0, 0, 0, 0, {{12, "a\xff)"}}}).leaks.at(0).command),
            "a\xef\xbf\xbd)");
}

TEST(ControlMessages, ThatAreNoneAreRefused) {
  Order order;
  Report report;
  std::string why;
  EXPECT_FALSE(from_packet(R"({"do": "dance"})", order, why));
  EXPECT_EQ(why, "unknown order \"dance\"");
  EXPECT_FALSE(from_packet(R"({"do": "start"})", order, why));
  EXPECT_EQ(why, "member \"attempt\" is missing");
  EXPECT_FALSE(from_packet(R"({"is": "ended", "attempt": 1})", report, why));
  EXPECT_EQ(why, "member \"status\" is missing");
  EXPECT_FALSE(from_packet("", report, why));
}

}  // namespace
}  // namespace relapse
