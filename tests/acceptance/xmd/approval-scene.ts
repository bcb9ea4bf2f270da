import type { PreflightAnswer } from '../../../controllers/xmd/preflight-answer.ts';
import type { SceneProcess } from './scene.ts';

type Admitted = Extract<PreflightAnswer, { admitted: true }>;

/** What Preflight answers for an admitted fragment; a refusal is the test's failure. */
export async function preflighted(process: SceneProcess, inputs: unknown): Promise<Admitted> {
  const answer = await process.preflight(inputs);
  if (!answer.admitted) throw new Error(`it is refused: ${JSON.stringify(answer)}`);
  return answer;
}

/** The digest that a person approves of. */
export async function digestOf(process: SceneProcess, text: string): Promise<string> {
  return (await preflighted(process, { text })).digest;
}
