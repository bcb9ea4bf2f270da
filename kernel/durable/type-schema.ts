import type { KernelResourceContext } from '../kinds/kind.ts';

/** The JSON Schema that an `outputType` means; undefined where none is stated. Pure. @throws InvokeError ERR_CONTRACT_UNRESOLVABLE */
export function schemaOf(type: unknown, ctx: KernelResourceContext): object | undefined {
  if (type === undefined || type === null) return undefined;
  if (ctx.kernel.schemaOf !== undefined) return ctx.kernel.schemaOf(type);
  if (typeof type !== 'object') return undefined;
  if (!('kind' in type)) return type;
  const inline: unknown = 'schema' in type ? type.schema : undefined;
  return typeof inline === 'object' && inline !== null ? inline : undefined;
}
