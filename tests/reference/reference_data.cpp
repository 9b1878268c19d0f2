#include "reference/reference_data.h"

#include <torch/csrc/jit/serialization/pickle.h>

#include "base/files.h"

namespace labreport {

void load_reference_data(const std::string& path) {
  const std::string bytes = read_file(path);
  reference_data() = torch::jit::pickle_load({bytes.begin(), bytes.end()}).toGenericDict();
}

c10::impl::GenericDict& reference_data() {
  static c10::impl::GenericDict loaded(c10::StringType::get(), c10::AnyType::get());
  return loaded;
}

}  // namespace labreport
