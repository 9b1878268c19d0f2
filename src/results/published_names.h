// Tags and names of imported numbers: what importing writes and comparing reads.
#pragma once

#include "results/metric_names.h"

namespace labreport::metric {

// Numbers that somebody published, without their samples: in imported runs alone. Names: kTotal and
// phases, unit ns, or kPeak, unit B.
inline constexpr std::string_view kPublished = "published";  // tag; a mean of time, or a peak
inline constexpr std::string_view kPublishedStddev = "published_stddev";  // tag; as it was printed
// A condition of theirs: where they stood; texts.
inline constexpr std::string_view kProvenance = "provenance";  // tag
inline constexpr std::string_view kTitle = "title";
inline constexpr std::string_view kSource = "source";
inline constexpr std::string_view kFile = "file";
inline constexpr std::string_view kPlace = "place";  // "line 12"
inline constexpr std::string_view kExperiment = "experiment";
inline constexpr std::string_view kAssumed = "assumed";  // what the table does not say

}  // namespace labreport::metric
