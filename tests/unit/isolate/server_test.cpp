#include <gtest/gtest.h>
TEST(Server, Todo) {}
