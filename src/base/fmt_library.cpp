// Compiles {fmt} once. Debian has no static library of it, and the header-only mode would add five
// seconds to each file that formats text.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

// These are declared in fmt/format.h but defined in fmt/format-inl.h, which no other file includes.
template FMT_API auto dragonbox::to_decimal(float x) noexcept -> dragonbox::decimal_fp<float>;
template FMT_API auto dragonbox::to_decimal(double x) noexcept -> dragonbox::decimal_fp<double>;
template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;

}  // namespace detail
FMT_END_NAMESPACE
