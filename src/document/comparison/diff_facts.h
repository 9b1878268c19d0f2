// What the sentences of a comparison are filled with.
#pragma once

#include <string>
#include <vector>

#include "document/comparison/diff_data.h"
#include "document/facts.h"

namespace labreport {

/// What a set of rows is called: "timing".
struct RowNoun {
  const char* one;
  const char* many;
};

/// Of rows in one unit, among them such as have no ratio. `all` holds also what stands in no table.
Facts facts_of(const std::vector<DiffRow>& rows, const std::vector<const ComparedRow*>& all,
               const Comparison& comparison, const RowNoun& noun);

/// Where kernels differ most, one a precision.
std::vector<Facts> place_facts(const Comparison& comparison);

/// "1 faster, 1 same and 1 unclear"; empty where no row is judged.
std::string verdict_words(const std::vector<DiffRow>& rows);

/// Of the whole: training steps by precision and the optimizer, with what the limits predict.
Facts summary_facts(const Comparison& comparison);

/// Plain text: how the runs are related and what must be known before any number.
std::string relation_words(const Comparison& comparison);

/// Markdown: how ratios, intervals, predictions and verdicts come about, as far as they are here.
std::string method_of(const Comparison& comparison);

}  // namespace labreport
