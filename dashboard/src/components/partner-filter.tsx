import type { JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { usePartner, usePartnerSearch } from "../api/partners.ts";
import type { FilterProps } from "./filters.tsx";
import type { FieldWiring } from "./form.tsx";

const searchDelayMs = 200;

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Returns `text` when the user has paused typing. Undefined and empty text are returned at once. */
function usePaused(text: string | undefined): string | undefined {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    if (text === undefined || text === "") return setPaused(text);
    const timer = setTimeout(() => setPaused(text), searchDelayMs);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}

export const noPartner = (partnerId: string): string => `This program has no partner ${partnerId}.`;

interface PartnerFilterProps extends Omit<FilterProps, "label"> {
  /** Label of the option without a partner. Default: "All partners". */
  readonly none?: string;
  /** The chosen partner, if the page's own data has it. Undefined: the filter reads it. */
  readonly known?: { readonly id: number; readonly name: string } | null;
  /** Attributes that connect the input with the form field around it. */
  readonly wiring?: FieldWiring;
}

/** Chooses a partner by a search on the server, because a program may have tens of thousands of partners. */
export function PartnerFilter({
  value,
  onChoose,
  none = "All partners",
  known,
  wiring,
}: PartnerFilterProps): JSX.Element {
  const id = useId();
  const read = usePartner(known === undefined ? value : "");
  const [typed, setTyped] = useState<string>();
  const [active, setActive] = useState(0);
  /**
   * True if the user pressed Enter before the search for the typed text had a result. The first partner found is then
   * chosen.
   */
  const [choosesFirst, setChoosesFirst] = useState(false);
  const searched = usePaused(typed);
  const found = usePartnerSearch(searched);
  const isOpen = typed !== undefined;
  const isFound = isOpen && searched === typed && !found.isBusy;

  const options = [
    ...(typed || wiring !== undefined ? [] : [{ value: "", name: none, code: "" }]),
    ...(found.data ?? []).map((partner) => ({ value: String(partner.id), name: partner.name, code: partner.code })),
  ];
  const isMarked = isOpen && active in options;
  const close = () => {
    setTyped(undefined);
    setActive(0);
    setChoosesFirst(false);
  };
  const choose = (option: string) => {
    close();
    if (option !== value) onChoose(option);
  };
  useEffect(() => {
    if (!choosesFirst || !isFound) return;
    const [first] = options;
    if (first === undefined) setChoosesFirst(false);
    else choose(first.value);
  }, [choosesFirst, isFound]);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      if (!isOpen) setTyped("");
      else setActive((active + step + options.length) % Math.max(1, options.length));
    } else if (event.key === "Enter" && isOpen) {
      event.preventDefault();
      if (isFound) choose(options[active]?.value ?? value);
      else setChoosesFirst(true);
    } else if (event.key === "Escape" && isOpen) {
      // Esc closes only the list of partners, not a dialog around the filter.
      event.preventDefault();
      close();
    }
  };
  const chosen = known === undefined ? read.data : known;
  const shown = value === "" ? "" : String(chosen?.id) === value ? chosen?.name : `Partner ${value}`;
  return (
    <span class="combobox">
      <input
        {...wiring}
        type="text"
        role="combobox"
        class="control filter"
        aria-label="Partner"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-activedescendant={isMarked ? `${id}-${active}` : undefined}
        aria-autocomplete="list"
        autocomplete="off"
        spellcheck={false}
        placeholder={none}
        value={typed ?? shown}
        onClick={() => isOpen || setTyped("")}
        onBlur={close}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setActive(0);
          setChoosesFirst(false);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={`${id}-list`} class="combobox-list" role="listbox" aria-label="Partners" hidden={!isOpen}>
        {options.map((option, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field has the focus and the keys
          <div
            key={option.value}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === active}
            // Keeps the focus in the field until the click.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(option.value)}
          >
            <bdi>{option.name}</bdi> {option.code && <small>{option.code}</small>}
          </div>
        ))}
        {found.data?.length === 0 && isFound && <p>No partners found</p>}
      </div>
      {read.failure?.status === 404 && <p role="alert">{noPartner(value)}</p>}
    </span>
  );
}
