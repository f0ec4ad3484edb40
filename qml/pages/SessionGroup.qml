// The head over a group of the list of sessions.
import QtQuick
import Belljar

Item {
    id: group
    required property string section
    width: parent ? parent.width : 0
    height: Theme.control + Theme.gap2
    SectionHead {
        anchors { fill: parent; leftMargin: Theme.pageMargin; rightMargin: Theme.pageMargin; topMargin: Theme.gap2 }
        text: group.section === "live" ? qsTr("Live") : qsTr("Ended")
    }
}
