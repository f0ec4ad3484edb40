// A sign, drawn for the screen's pixels. Decoration by itself: what it says stands in words beside it, or as the name of its button.
import QtQuick
import Belljar

Image {
    id: glyph
    required property string name
    property color tint: Theme.fg1
    property color ink: "transparent" // of what is cut into a fill; transparent: cut out
    property color rim: "transparent"
    property int size: Theme.glyph

    function digits(colour: color): string { return ("" + colour).substring(1); }

    width: size
    height: size
    sourceSize { width: Math.round(size * Screen.devicePixelRatio); height: Math.round(size * Screen.devicePixelRatio) }
    source: name === "" ? "" : "image://glyph/" + name + "/" + digits(tint) + (ink.a > 0 ? "/" + digits(ink) : "")
                               + (ink.a > 0 && rim.a > 0 ? "/" + digits(rim) : "")
    Accessible.ignored: true
}
