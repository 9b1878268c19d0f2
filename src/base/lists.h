// Filters and maps lists, removes repetitions, and finds the largest element.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

namespace labreport {

/// Returns the elements for which `is_wanted` (a function or a member pointer) holds.
template <typename List, typename Predicate>
List only(List list, const Predicate& is_wanted) {
  std::erase_if(list, [&](const auto& element) { return !std::invoke(is_wanted, element); });
  return list;
}

/// Applies `get` (a function or a member pointer) to each element.
template <typename List, typename Get>
auto each(const List& list, const Get& get) {
  std::vector<std::decay_t<decltype(std::invoke(get, *std::begin(list)))>> results;
  for (const auto& element : list) results.push_back(std::invoke(get, element));
  return results;
}

/// Returns each element once, in the order of first occurrence.
template <typename Element>
std::vector<Element> distinct(const std::vector<Element>& list) {
  std::vector<Element> results;
  for (const Element& element : list) {
    if (std::ranges::find(results, element) == results.end()) results.push_back(element);
  }
  return results;
}

/// Returns the element for which `get` returns the largest value; null for an empty list.
template <typename Element, typename Get>
const Element* largest(const std::vector<Element>& list, const Get& get) {
  const auto found = std::ranges::max_element(list, {}, get);
  return found == list.end() ? nullptr : &*found;
}

}  // namespace labreport
