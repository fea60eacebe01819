/** How the element looks: colors and font of the page around it, and an accent that it can set. */
export const STYLE = `
:host { display: block; max-width: 46rem; line-height: 1.5; overflow-wrap: anywhere; --edge: color-mix(in srgb, currentColor 55%, transparent); --accent: var(--sottovoce-accent, #0b6169); --accent-ink: var(--sottovoce-accent-ink, #fff); }
:host([hidden]), [hidden] { display: none !important; }
*, ::before, ::after { box-sizing: border-box; }
h2, h3 { line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.375em; }
h3 { font-size: 1.125em; margin-top: 1.25rem; }
p { margin: 0 0 .75rem; }
small { font-size: .875em; line-height: 1.4; }
[role="status"]:empty { display: none; }
:focus-visible { outline: 3px solid currentColor; outline-offset: 2px; }
h3:focus-visible { outline: none; }
fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
legend { padding: 0; font-weight: 600; margin-bottom: .5rem; }
label { display: block; font-weight: 600; }
.choices label, .scale label, .decline, .consent { display: flex; gap: .625rem; align-items: baseline; min-height: 2.75rem; padding: .5rem .75rem; margin-bottom: .5rem; font-weight: 400; border: 1px solid var(--edge); border-radius: .5rem; cursor: pointer; }
.scale { display: flex; flex-wrap: wrap; gap: .5rem; }
.scale legend { float: left; width: 100%; }
.scale label { margin: 0; }
.decline { margin-top: .5rem; width: fit-content; }
.consent { margin-block: .75rem; }
.gated:disabled { opacity: .55; }
input, select, button { font: inherit; line-height: 1.4; min-height: 2.75rem; max-width: 100%; border-radius: .5rem; }
input:not([type="radio"], [type="checkbox"]), select { display: block; width: 100%; margin-top: .25rem; padding: .5rem .75rem; border: 1px solid var(--edge); color: inherit; background: transparent; }
option { color: CanvasText; background: Canvas; }
input[type="radio"], input[type="checkbox"] { min-height: 0; margin: 0; flex: none; accent-color: var(--accent); }
.questions > fieldset { padding-block: 1rem; border-top: 1px solid var(--edge); }
.questions legend { padding-inline-end: .5rem; float: left; width: 100%; }
.questions legend + * { clear: both; }
.questions legend small { font-weight: 400; margin-inline-end: .25rem; }
.questions > fieldset > div > label { font-weight: 400; }
.questions .scale { gap: .375rem; }
.questions .scale label { gap: .5rem; }
.error { font-weight: 600; margin: .5rem 0 0; padding-inline-start: .75rem; border-inline-start: .25rem solid currentColor; width: 100%; }
.hint { display: block; margin-block: .25rem .75rem; }
.parts > * { margin-bottom: .75rem; }
.pairs > fieldset { margin-bottom: 1rem; }
button { padding: .5rem 1.25rem; border: 1px solid var(--accent); background: var(--accent); color: var(--accent-ink); font-weight: 600; cursor: pointer; }
button.quiet { border-color: var(--edge); background: transparent; color: inherit; margin-right: .5rem; }
button:disabled { opacity: .6; cursor: default; }
.submit { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; margin-top: 1rem; }
details { border: 1px solid var(--edge); border-radius: .5rem; padding: 0 1rem; margin-bottom: .75rem; }
summary { cursor: pointer; font-weight: 600; padding-block: .625rem; }
.scroll { overflow-x: auto; max-height: 24rem; margin-bottom: .75rem; }
table { border-collapse: collapse; width: 100%; font-size: .875em; line-height: 1.4; }
th, td { text-align: start; vertical-align: baseline; padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--edge); font-weight: 400; min-width: 4.5rem; }
thead th { font-weight: 600; }
code { font-family: ui-monospace, monospace; font-size: .9em; }
`;
