import { searchStyle } from "./search-box.ts";

export const style = `
:root { color-scheme: light dark; --ink: #1a2230; --soft: #5b6678; --line: #dfe4ec; --ground: #fff; --card: #f6f8fb;
  --accent: #3451d1; --post: #0b6b5d; --get: #2457b3; --good: #17723f; --bad: #a8321f; --code: #f1f4f8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9f1; --soft: #98a4b6; --line: #2b3442; --ground: #10151d;
  --card: #161d28; --accent: #8ea2ff; --post: #5fd0bd; --get: #85aefa; --good: #6fd096; --bad: #f0937f; --code: #1b2431; } }
* { box-sizing: border-box }
html { scroll-behavior: smooth; scroll-padding-top: 1.5rem }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto } }
body { margin: 0; font: 16px/1.6 system-ui, sans-serif; color: var(--ink); background: var(--ground) }
a { color: var(--accent); text-underline-offset: .2em }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px }
.page { display: grid; grid-template-columns: 16rem minmax(0, 52rem); gap: 3.5rem; max-width: 76rem; margin: auto; padding: 0 1.5rem 6rem }
main { padding-top: 2.5rem }
nav { position: sticky; top: 0; align-self: start; max-height: 100vh; padding-block: 2.5rem; overflow-y: auto; font-size: .9rem }
nav strong { display: block; margin: 1.4rem 0 .3rem; font-size: .72rem; letter-spacing: .08em; text-transform: uppercase; color: var(--soft) }
nav strong:first-child { margin-top: 0 }
nav a { display: block; padding: .2rem 0; color: inherit; text-decoration: none; overflow-wrap: anywhere }
nav a:hover { color: var(--accent) }
nav small { color: var(--soft); font-size: .8em }
h1 { margin: 0; font-size: 2.2rem; line-height: 1.15; letter-spacing: -.02em }
h2 { margin: 3.5rem 0 .6rem; font-size: 1.35rem; letter-spacing: -.01em }
h3 { margin: 1.8rem 0 .5rem; font-size: .95rem }
.lead { margin: .7rem 0 0; font-size: 1.12rem; color: var(--soft) }
section.operation { margin-top: 3.5rem; padding-top: 2rem; border-top: 1px solid var(--line) }
section.operation h2 { margin: 0 0 .4rem }
.call { overflow-wrap: anywhere; display: flex; flex-wrap: wrap; gap: .7rem; align-items: baseline; font: 600 .92rem/1.5 ui-monospace, monospace }
.call small { font: 400 .82rem system-ui, sans-serif; color: var(--soft) }
.post { color: var(--post) } .get { color: var(--get) }
code, pre { font: .86em/1.55 ui-monospace, "SF Mono", Menlo, Consolas, monospace }
:not(pre) > code { padding: .1em .35em; border-radius: 4px; background: var(--code); overflow-wrap: anywhere }
pre { margin: .6rem 0; padding: .9rem 1.1rem; overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; background: var(--code) }
.scroll { overflow-x: auto }
table { width: 100%; border-collapse: collapse; font-size: .92rem }
th { padding: .4rem .8rem .4rem 0; font-size: .75rem; font-weight: 600; text-align: left; color: var(--soft) }
td { padding: .5rem .8rem .5rem 0; border-top: 1px solid var(--line); vertical-align: top }
td:first-child { white-space: nowrap } td small { color: var(--soft) } td .must { color: var(--bad) }
details { border: 1px solid var(--line); border-radius: 8px; background: var(--card); margin: .5rem 0 }
summary { padding: .55rem 1rem; cursor: pointer } summary b { font: 600 .92rem ui-monospace, monospace }
summary .good { color: var(--good) } summary .bad { color: var(--bad) } summary span { color: var(--soft) }
details > div { padding: 0 1rem .8rem } figure { margin: .8rem 0 0 } figcaption { font-size: .82rem; color: var(--soft) }
@media (max-width: 60rem) { .page { grid-template-columns: minmax(0, 1fr); gap: 2rem } nav { position: static; max-height: none; padding-bottom: 0 } main { padding-top: 0 } }
@media (max-width: 40rem) { thead { display: none } tr { display: block; padding: .6rem 0; border-top: 1px solid var(--line) }
  td { display: block; padding: .1rem 0; border: 0 } td:first-child { white-space: normal } }
${searchStyle}`;
