# Defines GoogleTest as `deps::gtest`, `deps::gtest_main` and `deps::gmock` if it is installed.
labreport_dependency(gtest PACKAGE libgtest-dev HEADER gtest/gtest.h ARCHIVES libgtest.a)
labreport_dependency(gtest_main PACKAGE libgtest-dev HEADER gtest/gtest.h
                     ARCHIVES libgtest_main.a)
labreport_dependency(gmock PACKAGE libgmock-dev HEADER gmock/gmock.h ARCHIVES libgmock.a)
