// What the marks of a trace mean.
pragma ComponentBehavior: Bound
import QtQuick
import Belljar

Row {
    id: legend
    spacing: Theme.gap4
    component Entry: Row {
        id: entry
        required property string text
        required property color tint
        required property int markWidth
        required property int markHeight
        spacing: Theme.gap1 + Theme.selectionBar
        Rectangle {
            width: entry.markWidth
            height: entry.markHeight
            color: entry.tint
            anchors.verticalCenter: parent.verticalCenter
        }
        Txt { text: entry.text; font: Theme.small; color: Theme.fg2 }
    }
    Entry { text: qsTr("Traffic, log scale"); tint: Theme.traceBar; markWidth: Theme.gap2 + Theme.selectionBar; markHeight: Theme.gap2 }
    Entry { text: qsTr("Denied"); tint: Theme.refuse; markWidth: Theme.selectionBar; markHeight: Theme.gap2 }
    Entry { text: qsTr("End"); tint: Theme.fg1; markWidth: Theme.hairline; markHeight: Theme.gap3 }
}
