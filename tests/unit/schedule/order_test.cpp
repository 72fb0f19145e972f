#include <gmock/gmock.h>

#include <harness/schedule/order.hpp>

namespace relapse {
namespace {

using testing::ElementsAre;

class OrderTest : public testing::Test {
 protected:
  OrderTest() {
    for (int i = 0; i < 4; ++i) {
      cases_[i].id = std::string(1, static_cast<char>('a' + i));
      Job job;
      job.kase = &cases_[i];
      jobs_.push_back(job);
    }
    options_.jobs = 2;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const Job& job : jobs_) out.push_back(job.kase->id);
    return out;
  }

  Case cases_[4];
  std::vector<Job> jobs_;
  ScheduleOptions options_;
  std::map<std::string, double> times_{{"a@cpu", 1}, {"b@cpu", 5}, {"d@cpu", 3}};
};

TEST_F(OrderTest, StaysAsItIsWithoutTimes) {
  EXPECT_EQ(order_for(jobs_, {}, options_), JobOrder::as_given);
  put_in_order(jobs_, {}, JobOrder::longest_first);
  EXPECT_THAT(names(), ElementsAre("a", "b", "c", "d"));
}

TEST_F(OrderTest, PutsTheLongestFirstAndTheUnknownInTheMiddle) {
  EXPECT_EQ(order_for(jobs_, times_, options_), JobOrder::longest_first);
  put_in_order(jobs_, times_, JobOrder::longest_first);
  EXPECT_THAT(names(), ElementsAre("b", "c", "d", "a"));
}

TEST_F(OrderTest, PutsTheQuickestFirstWhereTheDeadlineIsShort) {
  options_.deadline = 7;  // 12 s of work on two slots
  EXPECT_EQ(order_for(jobs_, times_, options_), JobOrder::longest_first);
  options_.deadline = 5.5;
  EXPECT_EQ(order_for(jobs_, times_, options_), JobOrder::quickest_first);
  options_.jobs = 8;
  EXPECT_EQ(order_for(jobs_, times_, options_), JobOrder::longest_first);
  options_.deadline = 4;
  EXPECT_EQ(order_for(jobs_, times_, options_), JobOrder::quickest_first) << "b alone takes longer";
  put_in_order(jobs_, times_, JobOrder::quickest_first);
  EXPECT_THAT(names(), ElementsAre("a", "c", "d", "b"));
}

TEST_F(OrderTest, DoesNotCountWhatIsSkipped) {
  options_.deadline = 4;
  jobs_[1].skip = "needs more memory";
  EXPECT_EQ(order_for(jobs_, times_, options_), JobOrder::longest_first);
}

}  // namespace
}  // namespace relapse
