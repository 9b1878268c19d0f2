// Short helpers for rows of data: filter, map, remove repetitions, find the largest.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

namespace labreport {

/// Returns the elements for which `wanted` (a function or a member pointer) holds.
template <typename List, typename Wanted>
List only(List list, const Wanted& wanted) {
  std::erase_if(list, [&](const auto& one) { return !std::invoke(wanted, one); });
  return list;
}

/// Applies `get` (a function or a member pointer) to each element.
template <typename List, typename Get>
auto each(const List& list, const Get& get) {
  std::vector<std::decay_t<decltype(std::invoke(get, *std::begin(list)))>> found;
  for (const auto& one : list) found.push_back(std::invoke(get, one));
  return found;
}

/// Returns each element once, in the order of first occurrence.
template <typename One>
std::vector<One> distinct(const std::vector<One>& list) {
  std::vector<One> found;
  for (const One& one : list) {
    if (std::ranges::find(found, one) == found.end()) found.push_back(one);
  }
  return found;
}

/// Returns the element for which `get` returns the largest value; null for an empty list.
template <typename One, typename Get>
const One* largest(const std::vector<One>& list, const Get& get) {
  const auto found = std::ranges::max_element(list, {}, get);
  return found == list.end() ? nullptr : &*found;
}

}  // namespace labreport
