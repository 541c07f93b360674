const placeholder = /^(["'`]?)(?:undefined|null|NULL|NaN|None|\[object .*\]|\{\{.*\}\}|\$\{.*\})\1$/su;

/** Texts that programs write if an id is missing. The service refuses the same ones: a test compares them. */
export const isPlaceholder = (id: string): boolean => placeholder.test(id);
