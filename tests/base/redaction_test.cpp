#include "base/redaction.h"

#include <gtest/gtest.h>

#include <string>

#include "base/machine.h"

namespace labreport::redaction_test {
namespace {

const PrivateNames kAda{.home = "/people/ada", .user = "ada", .host = "box-7"};

struct Case {
  const char* text;
  const char* expected;
};

TEST(PrivateNames, AreReplacedInPathsCommandsAndMessages) {
  for (const auto& [text, expected] : {
           Case{"/people/ada", "~"},
           Case{"--out=/people/ada/runs", "--out=~/runs"},
           Case{"cannot open '/people/ada/a b/x.so': no such file",
                "cannot open '~/a b/x.so': no such file"},
           Case{"/scratch/ada/runs", "/scratch/USER/runs"},
           Case{"/scratch/ada-lab/x", "/scratch/USER-lab/x"},
           Case{"/tmp/torchinductor_ada/y", "/tmp/torchinductor_USER/y"},
           Case{"/tmp/.cache.ada.old", "/tmp/.cache.USER.old"},
           Case{"ada@box-7:/x", "USER@HOST:/x"},
           Case{"lost box-7.example", "lost HOST.example"},
       }) {
    EXPECT_EQ(redacted(text, kAda), expected) << text;
  }
}

TEST(PrivateNames, TheHostsWholeAndShortNamesAreReplaced) {
  const PrivateNames node{.home = {}, .user = {}, .host = "node1.cluster.edu"};
  EXPECT_EQ(redacted("node1.cluster.edu and node1, not node12 or x-node1", node),
            "HOST and HOST, not node12 or x-node1");
  EXPECT_EQ(redacted("10 bytes of 10.0.0.7", {.home = {}, .user = {}, .host = "10.0.0.7"}),
            "10 bytes of HOST");
}

TEST(PrivateNames, KeepsUserValuesThatEqualTheHostName) {
  const PrivateNames host_called_run{.home = "/people/ada", .user = "ada", .host = "run"};
  for (const char* word : {"run", "run,small", "run=64,128,2,2"}) {
    EXPECT_EQ(redacted_word(word, host_called_run), word);
  }
  EXPECT_EQ(redacted_word("/scratch/run/x", host_called_run), "/scratch/HOST/x");
  EXPECT_EQ(redacted_word("ada@run:/people/ada", host_called_run), "USER@HOST:~");
}

TEST(PrivateNames, OtherUsersHomeFoldersAreReplaced) {
  for (const std::string root : {"/home", "/Users"}) {
    EXPECT_EQ(redacted("in " + root + "/alan.t/runs", {}), "in ~/runs");
    EXPECT_EQ(redacted(root + "/", {}), root + "/");
    EXPECT_EQ(redacted("site" + root + "/page", {}), "site" + root + "/page");
  }
}

TEST(PrivateNames, AreNotReplacedWithinOtherWords) {
  for (const char* text : {"/people/adam/x", "ada", "--sizes small,ada", "box-77 and xbox-7",
                           "/more/people/ada2-lab", "a-ada and ada_b"}) {
    EXPECT_EQ(redacted(text, kAda), text);
  }
}

TEST(PrivateNames, UnknownNamesReplaceNothing) {
  EXPECT_EQ(redacted("a / path and @ words", {}), "a / path and @ words");
  EXPECT_EQ(redacted("/a/path", {.home = "/", .user = {}, .host = {}}), "/a/path");
}

TEST(PrivateNames, AreReadFromTheEnvironmentAndTheSystem) {
  setenv("HOME", "/somewhere/else/", 1);
  EXPECT_EQ(private_names().home, "/somewhere/else");
  EXPECT_EQ(private_names().host, host_name());
  EXPECT_FALSE(private_names().user.empty());
}

}  // namespace
}  // namespace labreport::redaction_test
