#include "base/table.h"
#include "writers/html/template.h"
#include "writers/math/math.h"

namespace labreport {
namespace {

using Kind = MathNode::Kind;

constexpr auto kAccents = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"hat", "^"}, {"bar", "¯"}, {"tilde", "~"}, {"vec", "→"}, {"overline", "‾"}});

std::string element(const std::string& name, const std::string& inside) {
  return "<" + name + ">" + inside + "</" + name.substr(0, name.find(' ')) + ">";
}

std::string space(const std::string& em) { return "<mspace width=\"" + em + "em\"></mspace>"; }

bool is_bracket(const std::string& text) {
  return !text.empty() && std::string_view("()[]{}|‖⌊⌋⌈⌉⟨⟩").find(text) != std::string_view::npos;
}

bool is_function(const MathNode& node) {
  return node.kind == Kind::kFunction ||
         (node.kind == Kind::kScripts && node.children.front().kind == Kind::kFunction);
}

/// What stands close to a function's name: "log(x)"; operators bring their own room.
bool brings_room(const MathNode& node) {
  return node.kind == Kind::kOperator || node.kind == Kind::kFenced || node.kind == Kind::kSpace;
}

class MathmlWriter {
 public:
  explicit MathmlWriter(bool display) : display_(display) {}

  std::string write(const MathNode& node) const {
    switch (node.kind) {
      case Kind::kRow:
        return element("mrow", row(node));
      case Kind::kLetter:
        return element("mi", escape_html(node.text));
      case Kind::kUpright:
        return element("mi mathvariant=\"normal\"", escape_html(node.text));
      case Kind::kNumber:
        return element("mn", node.text);
      case Kind::kOperator:
        return operator_of(node.text);
      case Kind::kLarge:
        return element("mo", node.text);
      case Kind::kFunction:
        return element("mi mathvariant=\"normal\"", escape_html(node.text));
      case Kind::kText:
        return element("mtext", escape_html(node.text));
      case Kind::kSpace:
        return space(node.text);
      case Kind::kFraction:
        return element("mfrac", all(node));
      case Kind::kRoot:
        return element(node.children.size() == 2 ? "mroot" : "msqrt", all(node));
      case Kind::kScripts:
        return scripts(node);
      case Kind::kFenced:
        return fenced(node);
      case Kind::kAccent:
        return accent(node);
    }
    return "";
  }

 private:
  std::string all(const MathNode& node) const {
    std::string inside;
    for (const MathNode& child : node.children) inside += write(child);
    return inside;
  }

  std::string row(const MathNode& node) const {
    std::string inside;
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const MathNode& child = node.children[i];
      const MathNode* before = i > 0 ? &node.children[i - 1] : nullptr;
      const bool named = is_function(child) || (before != nullptr && is_function(*before));
      if (before != nullptr && named && !brings_room(*before) && !brings_room(child)) {
        inside += space("0.1667");
      }
      inside += write(child);
    }
    return inside;
  }

  /// Brackets grow with what is between them only where \left and \right say so.
  static std::string operator_of(const std::string& text) {
    const std::string escaped = escape_html(text);
    if (text == "|" || text == "‖") {
      return element("mo stretchy=\"false\" lspace=\"0\" rspace=\"0\"", escaped);
    }
    return element(is_bracket(text) ? "mo stretchy=\"false\"" : "mo", escaped);
  }

  std::string scripts(const MathNode& node) const {
    const bool below = !node.children[1].children.empty();
    const bool above = !node.children[2].children.empty();
    std::string inside = write(node.children[0]);
    if (below) inside += write(node.children[1]);
    if (above) inside += write(node.children[2]);
    const bool limits = node.limits && display_;
    const std::string name = limits ? (below ? (above ? "munderover" : "munder") : "mover")
                                    : (below ? (above ? "msubsup" : "msub") : "msup");
    return element(name, inside);
  }

  std::string fenced(const MathNode& node) const {
    const auto fence = [](const std::string& text, const std::string& form) {
      const std::string name = "mo stretchy=\"true\" form=\"" + form + "\"";
      return text.empty() ? "" : element(name, escape_html(text));
    };
    return element("mrow", fence(node.text, "prefix") + write(node.children[0]) +
                               fence(node.close, "postfix"));
  }

  std::string accent(const MathNode& node) const {
    const std::string stretchy = node.text == "overline" ? "true" : "false";
    return element("mover accent=\"true\"",
                   write(node.children[0]) + element("mo stretchy=\"" + stretchy + "\"",
                                                     std::string(*look_up(kAccents, node.text))));
  }

  bool display_;
};

}  // namespace

std::string to_mathml(const MathNode& math, std::string_view tex, bool display) {
  // What is wider than a phone scrolls, so that a keyboard has to reach it.
  const std::string attributes = std::string("math display=\"") +
                                 (display ? "block\" tabindex=\"0" : "inline") + "\" alttext=\"" +
                                 escape_html(std::string(tex)) + "\"";
  return element(attributes, MathmlWriter(display).write(math));
}

}  // namespace labreport
