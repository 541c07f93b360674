import type { JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { usePartner, usePartnerSearch } from "../api/partners.ts";
import type { FilterProps } from "./filters.tsx";
import type { FieldWiring } from "./form.tsx";

const searchDelayMs = 200;

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Follows `text` once the user pauses. Undefined and empty text are followed at once. */
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
  /** Without a partner. Default: "All partners". */
  readonly none?: string;
  /** The chosen partner, of a page whose own data has it. Undefined: the filter reads it. */
  readonly known?: { readonly id: number; readonly name: string } | null;
  /** Of the field of a form that it is in. */
  readonly wiring?: FieldWiring;
}

/** Searches on the server: a program may have tens of thousands of partners. */
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
  const found = usePartnerSearch(usePaused(typed));
  const isOpen = typed !== undefined;

  const options = [
    { value: "", name: none, code: "" },
    ...(found.data ?? []).map((partner) => ({ value: String(partner.id), name: partner.name, code: partner.code })),
  ];
  const choose = (option: string) => {
    setTyped(undefined);
    if (option !== value) onChoose(option);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      if (!isOpen) setTyped("");
      else setActive(Math.max(0, Math.min(options.length - 1, active + step)));
    } else if (event.key === "Enter" && isOpen) {
      event.preventDefault();
      choose(options[active]?.value ?? value);
    } else if (event.key === "Escape" && isOpen) {
      // A dialog around it stays open.
      event.preventDefault();
      setTyped(undefined);
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
        aria-activedescendant={isOpen ? `${id}-${active}` : undefined}
        aria-autocomplete="list"
        autocomplete="off"
        spellcheck={false}
        placeholder={none}
        value={typed ?? shown}
        onFocus={() => wiring === undefined && setTyped("")}
        onClick={() => isOpen || setTyped("")}
        onBlur={() => setTyped(undefined)}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setActive(0);
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
        {found.data?.length === 0 && typed !== "" && !found.isLoading && <p>No partners found</p>}
      </div>
      {read.failure?.status === 404 && <p role="alert">{noPartner(value)}</p>}
    </span>
  );
}
