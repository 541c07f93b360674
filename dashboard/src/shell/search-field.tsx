import "./search-field.css";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { SearchIcon } from "../components/icons.tsx";
import { useProgram } from "../session.tsx";
import { searchAddress } from "../url.ts";
import { isTyping } from "./is-typing.ts";

const maxLength = 520;

/** The search field. `/` focuses it, except while the user types elsewhere or a dialog is open. */
export function SearchField(): JSX.Element {
  const { program } = useProgram();
  const { path, query, route } = useLocation();
  const field = useRef<HTMLInputElement>(null);
  const searched = path === searchAddress(program.id, "") ? (query.q ?? "") : "";

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, target, ctrlKey, metaKey, altKey } = event;
      if (key !== "/" || ctrlKey || metaKey || altKey) return;
      if (isTyping(target)) return;
      event.preventDefault();
      field.current?.select();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);

  return (
    <search class="search-field" aria-label="Search orders, customers and partners">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          route(searchAddress(program.id, field.current?.value.trim() ?? ""));
          field.current?.blur();
        }}
      >
        <SearchIcon />
        <input
          key={searched}
          ref={field}
          type="search"
          class="control"
          aria-label="Search orders, customers and partners"
          aria-keyshortcuts="/"
          placeholder="Search"
          maxLength={maxLength}
          autocomplete="off"
          spellcheck={false}
          defaultValue={searched}
        />
        <span class="search-key" aria-hidden="true">
          /
        </span>
      </form>
    </search>
  );
}
