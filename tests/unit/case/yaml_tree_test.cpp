#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <harness/case/yaml_tree.hpp>

namespace relapse {
namespace {

struct Tree {
  explicit Tree(std::string yaml) : text(std::move(yaml)), source(text) {
    root = read_yaml(source, ReadLimits{}, [this](SourcePos, int, std::string message, std::string) {
      mistakes.push_back(message);
    });
  }
  const YamlNode& at(std::string_view key) const { return *root->find(key); }

  std::string text;
  SourceText source;
  std::unique_ptr<YamlNode> root;
  std::vector<std::string> mistakes;
};

TEST(ReadYaml, KeepsEveryScalarAsText) {
  const Tree tree("a: 2.10\nb: 'off'\nc: null\nd: ~\ne:\nf: |\n  x\n  y\n");
  EXPECT_EQ(tree.at("a").text, "2.10");
  EXPECT_EQ(tree.at("b").style, YamlNode::Style::quoted);
  EXPECT_EQ(tree.at("c").text, "null");
  EXPECT_EQ(tree.at("d").text, "~");
  EXPECT_EQ(tree.at("e").kind, YamlNode::Kind::nothing);
  EXPECT_EQ(tree.at("e").pos, (SourcePos{5, 1}));
  EXPECT_EQ(tree.at("f").text, "x\ny\n");
  EXPECT_EQ(tree.at("f").style, YamlNode::Style::block);
}

TEST(ReadYaml, CountsBehindAByteOrderMarkAndCarriageReturns) {
  const Tree tree(
      "\xEF\xBB\xBF"
      "a: 1\r\nb: 2\r\n");
  EXPECT_EQ(tree.at("b").pos, (SourcePos{2, 4}));
}

TEST(ReadYaml, KnowsWhereFlowCollectionsEnd) {
  const Tree tree("a: {b: [1, ']', \"}\"], c: d} # }\n");
  EXPECT_EQ(tree.text.substr(tree.at("a").offset, tree.at("a").end - tree.at("a").offset),
            "{b: [1, ']', \"}\"], c: d}");
  EXPECT_EQ(flow_text(tree.at("a")), "{b: [1, ], }], c: d}");
}

TEST(TextOriginOf, FollowsQuotesEscapesAndFoldedLines) {
  const Tree tree(
      "a: 'it''s x'\n"
      "b: \"t\\tx\"\n"
      "c: one\n"
      "  two x\n"
      "d: |\n"
      "  one\n"
      "  two x\n");
  const auto place_of_x = [&](std::string_view key) {
    const YamlNode& node = tree.at(key);
    return text_origin(tree.source, node).at(static_cast<int>(node.text.find('x')) + 1);
  };
  EXPECT_EQ(place_of_x("a"), (SourcePos{1, 11}));
  EXPECT_EQ(place_of_x("b"), (SourcePos{2, 8}));
  EXPECT_EQ(place_of_x("c"), (SourcePos{4, 7}));
  EXPECT_EQ(place_of_x("d"), (SourcePos{7, 7}));
}

}  // namespace
}  // namespace relapse
