// A control with its label above it and, below, help or what is wrong. Field has these by itself; this is for Combo, Seg and the like.
import QtQuick
import Belljar

Column {
    id: labelled
    required property string label
    property string help: ""
    property string error: ""
    default property alias control: place.data

    spacing: Theme.gap1 + Theme.selectionBar
    Txt {
        width: parent.width
        text: labelled.label
        font: Theme.note
        color: Theme.fg1
        Accessible.ignored: true // the control says it
    }
    Item {
        id: place
        width: parent.width
        implicitHeight: childrenRect.height
    }
    Txt {
        width: parent.width
        visible: text !== ""
        text: labelled.error === "" ? labelled.help : labelled.error
        font: Theme.note
        color: labelled.error === "" ? Theme.fg2 : Theme.fail
        wrapMode: Text.Wrap
    }
}
