#include "base/table.h"
#include "writers/math/math.h"
#include "writers/typst/typst_text.h"

namespace labreport {
namespace {

using Kind = MathNode::Kind;

constexpr auto kTypstAccents =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"hat", "hat"},
                                                                  {"bar", "macron"},
                                                                  {"tilde", "tilde"},
                                                                  {"vec", "arrow"},
                                                                  {"overline", "overline"}});

/// A character as itself: ASCII marks would mean something between dollars.
std::string symbol(const std::string& text) { return text.size() == 1 ? "\\" + text : text; }

std::string write(const MathNode& node);

std::string row(const MathNode& node) {
  std::string inside;
  for (const MathNode& child : node.children) inside += (inside.empty() ? "" : " ") + write(child);
  return inside.empty() ? "\"\"" : inside;
}

std::string call(const std::string& name, const std::string& arguments) {
  return name + "(" + arguments + ")";
}

std::string scripts(const MathNode& node) {
  std::string arguments = write(node.children[0]);
  if (!node.children[1].children.empty()) arguments += ", b: " + row(node.children[1]);
  if (!node.children[2].children.empty()) arguments += ", t: " + row(node.children[2]);
  return call("attach", arguments);
}

std::string root(const MathNode& node) {
  if (node.children.size() == 1) return call("sqrt", row(node));
  return call("root", write(node.children[1]) + ", " + write(node.children[0]));
}

std::string write(const MathNode& node) {
  switch (node.kind) {
    case Kind::kRow:
      return row(node);
    case Kind::kLetter:
      return node.text;
    case Kind::kUpright:
      return call("upright", typst_string(node.text));
    case Kind::kNumber:
      return node.text;
    case Kind::kOperator:
      return symbol(node.text);
    case Kind::kLarge:
      return node.text;
    case Kind::kFunction:
      return call("op", typst_string(node.text) + (node.limits ? ", limits: #true" : ""));
    case Kind::kText:
      return typst_string(node.text);
    case Kind::kSpace:
      return call("#h", node.text + "em");
    case Kind::kFraction:
      return call("frac", write(node.children[0]) + ", " + write(node.children[1]));
    case Kind::kRoot:
      return root(node);
    case Kind::kScripts:
      return scripts(node);
    case Kind::kFenced:
      return call("lr", (node.text.empty() ? "" : symbol(node.text) + " ") +
                            write(node.children[0]) +
                            (node.close.empty() ? "" : " " + symbol(node.close)));
    case Kind::kAccent:
      return call(std::string(*look_up(kTypstAccents, node.text)), write(node.children[0]));
  }
  return "";
}

}  // namespace

std::string to_typst(const MathNode& math, bool display) {
  const std::string space = display ? " " : "";
  return "$" + space + row(math) + space + "$";
}

}  // namespace labreport
