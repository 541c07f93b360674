import type { JSX } from "preact";
import { useSignal } from "../api/signal.ts";
import { chooseTheme, theme, themes } from "../theme.ts";

export function ThemeChoice(): JSX.Element {
  const chosen = useSignal(theme);
  return (
    <div class="menu-group">
      <h3>Theme</h3>
      <fieldset class="segments" aria-label="Theme">
        {themes.map((each) => (
          <button key={each} type="button" aria-pressed={each === chosen} onClick={() => chooseTheme(each)}>
            {each}
          </button>
        ))}
      </fieldset>
    </div>
  );
}
