// The widths that the list of sessions and its head share. They come from the heads' words in the language at hand and from the
// widest numbers, never from the data, so that no row moves when a count grows.
import QtQuick
import Belljar

QtObject {
    id: columns
    required property real width // of the list
    readonly property real text: Theme.pageMargin + Theme.glyph + Theme.gap3 // where the text of every row starts
    property bool withTrace: true
    readonly property bool traced: withTrace && width >= 720
    readonly property real numbers: allowed + denied + calls + bytes + age
    readonly property real trace: traced ? Math.round((width - text - numbers - Theme.pageMargin - Theme.gap4) * 0.42) : 0
    readonly property real session: Math.max(0, width - text - trace - (traced ? Theme.gap4 : 0) - numbers - Theme.pageMargin)

    readonly property real allowed: room(allowedHead, number)
    readonly property real denied: room(deniedHead, number)
    readonly property real calls: room(callsHead, number)
    readonly property real bytes: room(bytesHead, size)
    readonly property real age: room(ageHead, time)

    function room(head: TextMetrics, widest: TextMetrics): real {
        return Math.ceil(Math.max(head.advanceWidth, widest.advanceWidth)) + Theme.gap4;
    }
    readonly property TextMetrics allowedHead: TextMetrics { font: Theme.columnHead; text: qsTr("Allowed") }
    readonly property TextMetrics deniedHead: TextMetrics { font: Theme.columnHead; text: qsTr("Denied") }
    readonly property TextMetrics callsHead: TextMetrics { font: Theme.columnHead; text: qsTr("Calls denied") }
    readonly property TextMetrics bytesHead: TextMetrics { font: Theme.columnHead; text: qsTr("Bytes") }
    readonly property TextMetrics ageHead: TextMetrics { font: Theme.columnHead; text: qsTr("Age") }
    readonly property TextMetrics number: TextMetrics { font: Theme.mono; text: "00,000" }
    readonly property TextMetrics size: TextMetrics { font: Theme.mono; text: "000.0 MB" }
    readonly property TextMetrics time: TextMetrics { font: Theme.mono; text: "00 h 00 min" }
}
