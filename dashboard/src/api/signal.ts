import { useEffect, useState } from "preact/hooks";

export interface Signal<T> {
  get(): T;
  set(next: T): void;
  watch(listener: (value: T) => void): () => void;
}

export function createSignal<T>(value: T): Signal<T> {
  const listeners = new Set<(value: T) => void>();
  return {
    get: () => value,
    set: (next) => {
      value = next;
      for (const listener of listeners) listener(value);
    },
    watch: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useSignal<T>(source: Signal<T>): T {
  const [value, setValue] = useState(source.get);
  useEffect(() => {
    setValue(source.get);
    return source.watch((next) => setValue(() => next));
  }, [source]);
  return value;
}
