import { namesIn } from '../json/json-fields.js';

/* Members that messages about an account are known to have, in answers and in the stream. Others are reported. */

export const ORDER_MEMBERS = namesIn(`
  avgPrice basePrice blockTradeId cancelType category closeOnTrigger closedPnl createType createdTime cumExecFee cumExecQty
  cumExecValue cumFeeDetail externalEventType extraFees feeCurrency fromAccount isLeverage lastPriceOnCreated leavesQty
  leavesValue marketUnit ocoTriggerBy ocoTriggerType orderId orderIv orderLinkId orderStatus orderType parentOrderLinkId
  placeType positionIdx price qty reduceOnly rejectReason rpiMatchedQty rpiTakerAccess side slLimitPrice slTriggerBy
  slippageTolerance slippageToleranceType smpGroup smpOrderId smpType stopLoss stopOrderType symbol takeProfit timeInForce
  toAccount tpLimitPrice tpTriggerBy tpslMode triggerBy triggerDirection triggerPrice updatedTime`);

export const EXECUTION_MEMBERS = namesIn(`
  blockTradeId category closedSize createType execFee execFeeV2 execId execPnl execPrice execQty execTime execType execValue
  extraFees feeCurrency feeRate indexPrice isLeverage isMaker leavesQty liquidity markIv markPrice marketUnit orderId
  orderLinkId orderPrice orderQty orderType seq side stopOrderType symbol tradeIv underlyingPrice`);

export const POSITION_MEMBERS = namesIn(`
  adlRankIndicator autoAddMargin avgPrice breakEvenPrice bustPrice category createdTime cumRealisedPnl curRealisedPnl delta
  entryPrice gamma isReduceOnly leverage leverageSysUpdatedTime liqPrice markPrice mmrSysUpdatedTime netDeltaRatio openTime
  positionBalance positionIM positionIMByMp positionIdx positionMM positionMMByMp positionStatus positionValue riskId
  riskLimitValue seq sessionAvgPrice side size stopLoss symbol takeProfit theta tpslMode tradeMode trailingStop unrealisedPnl
  updatedTime vega`);

export const WALLET_MEMBERS = namesIn(`
  accountIMRate accountIMRateByMp accountLTV accountMMRate accountMMRateByMp accountType coin totalAvailableBalance
  totalEquity totalInitialMargin totalInitialMarginByMp totalMaintenanceMargin totalMaintenanceMarginByMp totalMarginBalance
  totalPerpUPL totalPerpUpl totalWalletBalance`);

export const COIN_MEMBERS = namesIn(`
  accruedInterest availableToBorrow availableToWithdraw bonus borrowAmount coin colRes collateralSwitch cumRealisedPnl equity
  free locked marginCollateral spotBorrow spotHedgingQty totalOrderIM totalPositionIM totalPositionMM unrealisedPnl usdValue
  walletBalance`);
