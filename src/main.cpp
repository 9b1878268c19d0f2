// labreport: measures a Transformer's training step and writes the report.
#include "cli/app.h"

int main(int argc, char** argv) { return labreport::run_app({argv, argv + argc}); }
