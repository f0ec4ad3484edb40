// doctor says what it found, what to do, and ends with what that means.
#include "tests/app/cli/belljar_program.h"

using namespace belljar::test;

class TestDoctor : public QObject {
    Q_OBJECT
    BelljarProgram belljar_;

    static QJsonObject check_named(const QJsonDocument& json, const QString& name) {
        for (const QJsonValue& check : json["checks"].toArray())
            if (check["name"] == name) return check.toObject();
        return {};
    }

private slots:
    void its_status_is_what_its_checks_come_to() {
        const Ended doctor = belljar_.run({"doctor", "--json"});
        const QJsonDocument json = doctor.json();
        bool missing = false;
        for (const QJsonValue& check : json["checks"].toArray()) {
            missing = missing || check["state"] == "missing";
            QVERIFY2((check["state"] == "ok") == check["advice"].toString().isEmpty(),
                     qPrintable(check["name"].toString()));
            QVERIFY(!check["found"].toString().isEmpty());
        }
        QCOMPARE(json["able"].toBool(), !missing);
        QCOMPARE(doctor.status, missing ? 1 : 0);
    }
    void the_kernel_s_parts_are_really_tried() {
        const QJsonDocument json = belljar_.run({"doctor", "--json"}).json();
        for (const char* name :
             {"kernel", "namespaces, tried", "nftables with tproxy, tried", "system call notification"})
            QVERIFY2(check_named(json, name)["state"] == "ok",
                     qPrintable(QString(name) + ": " + check_named(json, name)["found"].toString()));
    }
    void a_folder_that_lets_others_in_is_missing_with_its_cure() {
        BelljarProgram open;
        QVERIFY(QFile::setPermissions(open.path("state"),
                                      QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner | QFile::ReadOther));
        const Ended doctor = open.run({"doctor"});
        QCOMPARE(doctor.status, 1);
        QVERIFY2(doctor.out.contains("chmod 700") && doctor.out.contains("Sessions cannot run here"),
                 doctor.out.constData());
        QVERIFY(!doctor.out.contains('\033'));
    }
};
QTEST_GUILESS_MAIN(TestDoctor)
#include "test_cli_doctor.moc"
