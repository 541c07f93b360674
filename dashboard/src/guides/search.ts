import MiniSearch, { type SearchResult } from "minisearch";
import type { Section } from "./section.ts";

const mostResults = 8;
const contextLength = 70;

const pick = <E extends HTMLElement>(selector: string): E => {
  const found = document.querySelector<E>(`.search ${selector}`);
  if (found === null) throw new Error(`the page has no ${selector}`);
  return found;
};
const input = pick<HTMLInputElement>("input");
const list = pick("ol");
const status = pick("[role=status]");

type Search = (text: string) => readonly (Section & SearchResult)[];
let opened: Promise<Search> | undefined;

/** Loads the sections with the first search. A failure isn't cached, so that the next key press tries again. */
function openSearch(): Promise<Search> {
  opened ??= load().catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  return opened;
}

async function load(): Promise<Search> {
  const reply = await fetch(new URL("search.json", import.meta.url));
  if (!reply.ok) throw new Error(`the sections were answered with ${reply.status}`);
  const index = new MiniSearch<Section>({
    idField: "address",
    fields: ["heading", "title", "text"],
    storeFields: ["address", "heading", "title", "text"],
    searchOptions: { boost: { heading: 4, title: 2 }, prefix: true, combineWith: "AND" },
  });
  index.addAll((await reply.json()) as Section[]);
  return (text) => {
    const exact = index.search(text);
    const found = exact.length > 0 ? exact : index.search(text, { fuzzy: 0.2 });
    return found.slice(0, mostResults) as (Section & SearchResult)[];
  };
}

async function show(): Promise<void> {
  const text = input.value.trim();
  if (text === "") return clear();
  const found = await openSearch().then(
    (search) => search(text),
    () => undefined,
  );
  if (input.value.trim() !== text) return;
  list.replaceChildren(...(found ?? []).map(itemOf));
  list.hidden = list.childElementCount === 0;
  if (found === undefined) status.textContent = "The search can't be loaded. Try again.";
  else status.textContent = found.length === 0 ? "Nothing found" : "";
}

function clear(): void {
  list.replaceChildren();
  list.hidden = true;
  status.textContent = "";
}

function itemOf({ address, title, heading, text, terms }: Section & SearchResult): HTMLLIElement {
  const link = document.createElement("a");
  link.href = address;
  link.replaceChildren(
    element("b", heading),
    ...(heading === title ? [] : [element("small", title)]),
    element("small", ...contextOf(text, terms)),
  );
  const item = document.createElement("li");
  item.replaceChildren(link);
  return item;
}

function element(name: "b" | "small" | "mark", ...content: readonly (string | Node)[]): HTMLElement {
  const made = document.createElement(name);
  made.replaceChildren(...content);
  return made;
}

/** The text around the first match, without cut words. */
function contextOf(text: string, terms: readonly string[]): readonly (string | Node)[] {
  const lower = text.toLowerCase();
  const places = terms.map((term) => ({ at: lower.indexOf(term), length: term.length })).filter(({ at }) => at >= 0);
  const { at, length } = places.sort((a, b) => a.at - b.at)[0] ?? { at: 0, length: 0 };
  const before = text.slice(Math.max(0, at - contextLength), at);
  const after = text.slice(at + length, at + length + contextLength);
  return [
    before.length < at ? before.replace(/^\S*/, "…") : before,
    element("mark", text.slice(at, at + length)),
    at + length + after.length < text.length ? after.replace(/\S*$/, "…") : after,
  ];
}

const links = (): HTMLElement[] => [...list.querySelectorAll("a")];

/** Moves the focus from the search field through the results and back to it. */
function move(by: 1 | -1): void {
  const stops = [input, ...links()];
  const at = stops.findIndex((stop) => stop.matches(":focus"));
  stops[(at + by + stops.length) % stops.length]?.focus();
}

const keys: Readonly<Record<string, () => void>> = {
  ArrowDown: () => move(1),
  ArrowUp: () => move(-1),
  Escape: () => {
    input.value = "";
    clear();
    input.focus();
  },
};

const box = pick<HTMLElement>("input").parentElement;
box?.addEventListener("keydown", (event) => {
  const act = event.key === "Enter" && event.target === input ? () => links()[0]?.click() : keys[event.key];
  if (act === undefined || event.isComposing) return;
  event.preventDefault();
  act();
});
input.addEventListener("input", () => void show());
document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  input.focus();
});
box?.removeAttribute("hidden");
