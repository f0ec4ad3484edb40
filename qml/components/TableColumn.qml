// One column of a LiveTable. Its width is a share of what the least widths leave; a person may drag it, data never moves it.
import QtQuick

QtObject {
    required property string title
    property string key: "" // what the model calls it when sorting
    property real least: 0
    property real share: 0
    property bool right: false // numbers
    property bool sortable: key !== ""
    property bool shown: true
}
