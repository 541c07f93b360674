/** URLs of the script that searches the guides and the API pages, and of its index. */
export const searchScript = "/docs/guides/search.js";
export const searchSections = "/docs/guides/search.json";

/** Hidden until its script has loaded, because the box doesn't work without the script. */
export const searchBox = `<div class="search" role="search" hidden>
<input type="search" aria-label="Search guides and API" placeholder="Search" autocomplete="off" spellcheck="false" aria-keyshortcuts="/">
<p role="status"></p>
<ol aria-label="Results" hidden></ol>
</div>
<script src="${searchScript}" type="module"></script>`;

export const searchStyle = `
.search { position: relative; margin-bottom: 1.4rem }
.search input { width: 100%; padding: .45rem .7rem; font: inherit; color: inherit; border: 1px solid var(--line); border-radius: 8px; background: var(--card) }
.search [role=status] { margin: .3rem 0 0; font-size: .82rem; color: var(--soft) } .search [role=status]:empty { display: none }
.search ol { margin: .4rem 0 0; padding: 0; list-style: none; border: 1px solid var(--line); border-radius: 8px; background: var(--card); overflow: hidden }
.search li + li { border-top: 1px solid var(--line) }
.search li a { padding: .5rem .7rem } .search :focus-visible { outline-offset: -2px }
.search b { display: block; font-size: .92rem } .search small { display: block; color: var(--soft); overflow-wrap: anywhere }
.search mark { color: inherit; background: none; font-weight: 600 }
`;
