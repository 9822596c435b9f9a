import { runLiveCampaign } from './live-campaign.js';

/** A process for one campaign. Its options are the first argument; its tally is a message to the parent. */
const options = JSON.parse(process.argv[2] ?? '{}') as Parameters<typeof runLiveCampaign>[0];
const tally = await runLiveCampaign({ ...options, log: (text) => console.log(`[${options.seed}] ${text}`) });
process.send?.(tally);
process.disconnect?.();
