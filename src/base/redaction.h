// Names of the user and the machine, which paths, commands and messages can contain.
#pragma once

#include <string>

namespace labreport {

/// Unknown names are empty.
struct PrivateNames {
  std::string home;  ///< "/people/ada", without a trailing slash.
  std::string user;
  std::string host;  ///< "node1.cluster.edu"; "node1" is redacted, too.
};

PrivateNames private_names();

/// Replaces home folders (everybody's below /home and /Users) with "~", the host with "HOST" and
/// the user with "USER". The host is replaced as any whole word, but the user only in a path or an
/// address, since a user's name may be an ordinary word. A shell still resolves a path below the
/// user's own home folder.
std::string redacted(std::string text, const PrivateNames& names);

/// Redacts a word that a user chose, such as a size. It may equal the host's name by chance, so the
/// host is replaced only in a path or an address.
std::string redacted_word(std::string word, const PrivateNames& names);

}  // namespace labreport
