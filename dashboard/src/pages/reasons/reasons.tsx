import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { lazy } from "../../components/lazy.tsx";
import { Skeleton } from "../../components/states.tsx";
import { ReasonsDrawer } from "../../reasons/host.tsx";

const Content = lazy(() => import("./content.tsx"), <Skeleton lines={8} />);

/**
 * The drawer's level in the current entry of the browser's history; 0 is the first. The history keeps it when the user
 * leaves or reloads the page.
 */
const levelInHistory = (): number | undefined => (history.state as { readonly level?: number } | null)?.level;

/**
 * The content of the drawer. `of` is a text that `reasonsOf` made. A part of a sum has a button that leads back to the
 * sum.
 */
export default function Reasons({ of }: { readonly of: string }): JSX.Element {
  const { current: last } = useRef({ of: "", level: -1 });
  const { current: openers } = useRef(new Map<number, string | null | undefined>());
  const level = last.of === of ? last.level : (levelInHistory() ?? last.level + 1);
  const isBack = level < last.level;
  if (level > last.level) openers.set(last.level, document.activeElement?.ariaLabel);
  Object.assign(last, { of, level });
  useEffect(() => {
    history.replaceState({ level }, "");
    if (!isBack) return;
    const amounts = [...document.querySelectorAll<HTMLElement>(".reasons .why-money")];
    amounts.find(({ ariaLabel }) => ariaLabel === openers.get(level))?.focus();
  }, [of]);
  return (
    <ReasonsDrawer of={of}>
      {level > 0 && (
        <div>
          <Button onClick={() => history.back()}>Back</Button>
        </div>
      )}
      <Content of={of} />
    </ReasonsDrawer>
  );
}
