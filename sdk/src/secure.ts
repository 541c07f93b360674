/** Whether nobody in between can read what is sent there: https, or this machine. */
export const isSecure = ({ origin }: URL): boolean =>
  /^https:|\/\/((.+\.)?localhost|127[.\d]+|\[::1])(:\d+)?$/.test(origin);
