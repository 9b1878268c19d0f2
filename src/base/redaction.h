// Who measured and on which machine, as paths, commands and messages give it away.
#pragma once

#include <string>

namespace labreport {

/// Each may be empty: unknown.
struct PrivateNames {
  std::string home;  ///< "/people/ada", without a slash at its end.
  std::string user;
  std::string host;  ///< "node1.cluster.edu", which is also called "node1".
};

/// Of this process.
PrivateNames private_names();

/// The text with home folders as "~" (anybody's below /home and /Users), and as "USER" and "HOST"
/// what names them: the host wherever it is a word, the user as a step of a path or in an address,
/// since a user's name may be any word. A path below one's own home folder still leads there in a
/// shell.
std::string redacted(std::string text, const PrivateNames& names);

/// The same for a word that a user chose among others, such as a size: it may be the host's name by
/// chance, so that the host too is replaced only as a step of a path or in an address.
std::string redacted_word(std::string word, const PrivateNames& names);

}  // namespace labreport
