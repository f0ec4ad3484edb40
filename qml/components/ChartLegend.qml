// Names and rates of the series of a chart: colour is never the only way to read it. Entries: { name, rate }.
pragma ComponentBehavior: Bound
import QtQuick
import Belljar
import Belljar.Look

Row {
    id: legend
    required property var entries
    property int most: 4 // two where it is narrow
    spacing: Theme.gap3
    clip: true

    Repeater {
        model: Math.min(legend.entries.length, legend.most, Theme.series.length)
        delegate: Row {
            id: entry
            required property int index
            readonly property var of: legend.entries[index]
            spacing: Theme.gap1 + Theme.selectionBar
            Accessible.role: Accessible.StaticText
            Accessible.name: of.name + ", " + of.rate
            Rectangle {
                width: Theme.gap2
                height: Theme.gap2
                radius: Theme.hairline
                color: Theme.series[entry.index]
                anchors.verticalCenter: parent.verticalCenter
            }
            Txt { text: Words.elided_left(entry.of.name, 28); font: Theme.mono; color: Theme.fg1; Accessible.ignored: true }
            Txt { text: entry.of.rate; font: Theme.monoSmall; color: Theme.fg2; Accessible.ignored: true
                  anchors.verticalCenter: parent.verticalCenter }
        }
    }
}
