// TraceStrip in the theme's colours, with what it shows in words.
import QtQuick
import Belljar
import Belljar.Look

TraceStrip {
    required property string label // "Traffic and denials of release-notes"
    implicitHeight: Theme.traceHeight
    barColor: Theme.traceBar
    denialColor: Theme.refuse
    heldColor: Theme.waitMark
    endColor: Theme.fg1
    Accessible.role: Accessible.Graphic
    Accessible.name: label
}
