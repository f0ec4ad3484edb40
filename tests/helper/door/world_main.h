// As QTEST_GUILESS_MAIN, but in the world of world.h.
#pragma once

#include "world.h"

#include <QtTest>

#define BELLJAR_WORLD_TEST_MAIN(TestClass)                                                                             \
    int main(int argc, char** argv) {                                                                                  \
        belljar::test::enter_world();                                                                                  \
        QCoreApplication app(argc, argv);                                                                              \
        TestClass test;                                                                                                \
        return QTest::qExec(&test, argc, argv);                                                                        \
    }
