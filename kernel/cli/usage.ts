import { InvokeError } from '@telorun/sdk';

/** A command line that cannot be read; exit code 64. */
export function usageError(message: string, hint: string): InvokeError {
  return new InvokeError('ERR_CLI_USAGE', message, { hint });
}

/** Input that was read and is not valid; exit code 65. */
export function inputError(message: string, hint: string): InvokeError {
  return new InvokeError('ERR_CLI_INVALID_INPUT', message, { hint });
}

/** Something named on the command line that is not there; exit code 66. */
export function notFoundError(message: string, hint: string): InvokeError {
  return new InvokeError('ERR_CLI_NOT_FOUND', message, { hint });
}
