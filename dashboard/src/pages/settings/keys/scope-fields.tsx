import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { fieldError } from "../../../api/failure.ts";
import { useFault, type Values } from "../../../components/form.tsx";
import { type KeyScope, keyScopes, scopeTexts } from "../../../key-grants.ts";

interface ScopeFieldsProps {
  readonly initial: readonly KeyScope[];
  readonly isTestOnly: boolean;
}

/**
 * A checkbox for each scope. The group's `name` is that of the API's field, and each checkbox's `name` is its scope.
 */
export function ScopeFields({ initial, isTestOnly }: ScopeFieldsProps): JSX.Element {
  const id = useId();
  const fault = useFault("scopes");
  return (
    <fieldset class="field scopes" name="scopes">
      <legend>Scopes</legend>
      {fault && (
        <p class="fault" id={`${id}-fault`}>
          {fault.message}
        </p>
      )}
      {keyScopes.map((scope) => {
        const { title, hint, testHint = hint } = scopeTexts[scope];
        const isOff = isTestOnly && (scope === "manage" || scope === "settle");
        return (
          // When a scope becomes unavailable, the new `key` replaces its checkbox with an unchecked one.
          <label key={`${scope} ${isOff}`} class="check-line">
            <input
              type="checkbox"
              name={scope}
              defaultChecked={initial.includes(scope) && !isOff}
              disabled={isOff}
              aria-invalid={fault !== undefined}
              aria-labelledby={`${id}-${scope}`}
              aria-describedby={`${id}-${scope}-hint${fault ? ` ${id}-fault` : ""}`}
            />
            <span>
              <span id={`${id}-${scope}`}>{title}</span>
              <small class="hint" id={`${id}-${scope}-hint`}>
                {isTestOnly ? testHint : hint}
              </small>
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}

export function chosenScopes(values: Values): KeyScope[] {
  const chosen = keyScopes.filter((scope) => values[scope] !== undefined);
  if (chosen.length === 0) throw fieldError("scopes", "Choose at least one.");
  return chosen;
}
